-- Tickets saved or deleted after a revision, oldest change first.
-- KEYS: 1 changes  2 revisions
-- ARGV: 1 revision  2 limit
-- returns: the revision to go on from (as text), then the ticket ids

local function after(revision)
  return redis.call('ZRANGE', KEYS[1], '(' .. revision, '+inf', 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
end

local reached = ARGV[1]
local found = after(reached)
if #found == 0 then
  local current = redis.call('HGET', KEYS[2], 'actors') or '0'
  -- A revision from the future is one of before data was lost: what the caller knows may be wrong, so tell it all.
  if tonumber(reached) > tonumber(current) then
    reached = '0'
    found = after(reached)
  end
end

local answer = { reached }
for i = 1, #found, 2 do
  answer[#answer + 1] = found[i]
  answer[1] = found[i + 1]
end
return answer
