-- Saves one document if its stored version is still the expected one.
-- KEYS: 1 documents of this kind  2 revisions
-- ARGV: 1 document id  2 expected version  3 JSON  4 the kind's field in revisions
-- returns: the new version; 0 when someone else saved first, and then nothing is written

local stored = redis.call('HGET', KEYS[1], ARGV[1])
local version = stored and string.match(stored, '^%d+') or '0'
if version ~= ARGV[2] then
  return 0
end
local next_version = tonumber(version) + 1
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d %s', next_version, ARGV[3]))
redis.call('HINCRBY', KEYS[2], ARGV[4], 1)
redis.call('PUBLISH', KEYS[2], ARGV[4])
return next_version
