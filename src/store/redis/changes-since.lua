-- Tickets saved or deleted after a revision, oldest change first; and all revisions.
-- KEYS: 1 changes  2 revisions  3 actors
-- ARGV: 1 revision  2 limit  3 "records" to tell what the tickets now are, or ""
-- returns: the revision to go on from (as text), the ticket ids, their records where asked for (nil for the deleted),
--          the revisions as field, value, field, value

local revisions = redis.call('HGETALL', KEYS[2])

local function after(revision)
  return redis.call('ZRANGE', KEYS[1], '(' .. revision, '+inf', 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
end

local current = 0
for i = 1, #revisions, 2 do
  if revisions[i] == 'actors' then
    current = tonumber(revisions[i + 1])
  end
end

local reached = ARGV[1]
local ids = {}
local records = {}
if tonumber(reached) ~= current then
  local found = after(reached)
  -- A revision from the future is one of before data was lost: what the caller knows may be wrong, so tell it all.
  if #found == 0 and tonumber(reached) > current then
    reached = '0'
    found = after(reached)
  end
  for i = 1, #found, 2 do
    ids[#ids + 1] = found[i]
    if ARGV[3] == 'records' then
      records[#records + 1] = redis.call('HGET', KEYS[3], found[i])
    end
    reached = found[i + 1]
  end
end

return { reached, ids, records, revisions }
