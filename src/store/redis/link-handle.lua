-- Makes a handle lead to a tenant, unless it leads to another.
-- KEYS: 1 handles of this kind
-- ARGV: 1 handle  2 tenant, encoded  3 value
-- returns: 1 when it leads to this tenant now, 0 when it belongs to another

local stored = redis.call('HGET', KEYS[1], ARGV[1])
if stored and string.match(stored, '^%S+') ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
redis.call('PUBLISH', KEYS[1], '')
return 1
