-- Saves many tickets' records, each if its stored version is still the expected one, and without history.
-- KEYS: 1 actors  2 changes  3 revisions  4 unsettled
-- ARGV: four for each record: ticket id, expected version, record without its version, "1" when unsettled
-- returns: a version for each record: its new one; 0 when someone else saved first, and then it is not written

local ids = {}
for i = 1, #ARGV, 4 do
  ids[#ids + 1] = ARGV[i]
end
local stored = redis.call('HMGET', KEYS[1], unpack(ids))

local versions = {}
for i, id in ipairs(ids) do
  versions[id] = stored[i] and string.match(stored[i], '^%d+') or '0'
end

local answers, records, changed, unsettled, settled = {}, {}, {}, {}, {}
for i, id in ipairs(ids) do
  local at = i * 4 - 3
  answers[i] = 0
  if versions[id] == ARGV[at + 1] then
    answers[i] = tonumber(versions[id]) + 1
    -- An id that comes twice is a race with itself: the second was made of what the first has just replaced.
    versions[id] = string.format('%d', answers[i])
    records[#records + 1] = id
    records[#records + 1] = versions[id] .. ' ' .. ARGV[at + 2]
    changed[#changed + 1] = id
    if ARGV[at + 3] == '1' then
      unsettled[#unsettled + 1] = #changed
    else
      settled[#settled + 1] = id
    end
  end
end
if #changed == 0 then
  return answers
end

local revision = redis.call('HINCRBY', KEYS[3], 'actors', #changed) - #changed
local revisions = {}
for i, id in ipairs(changed) do
  revisions[#revisions + 1] = revision + i
  revisions[#revisions + 1] = id
end
redis.call('PUBLISH', KEYS[3], string.format('actors %d', revision + #changed))
redis.call('HSET', KEYS[1], unpack(records))
redis.call('ZADD', KEYS[2], unpack(revisions))
if #settled > 0 then
  redis.call('ZREM', KEYS[4], unpack(settled))
end
for _, place in ipairs(unsettled) do
  redis.call('ZADD', KEYS[4], revision + place, changed[place])
end
return answers
