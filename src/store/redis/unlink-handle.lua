-- Forgets a handle, if it leads to this tenant.
-- KEYS: 1 handles of this kind
-- ARGV: 1 handle  2 tenant, encoded
-- returns: 1 when it was forgotten, else 0

local stored = redis.call('HGET', KEYS[1], ARGV[1])
if stored and string.match(stored, '^%S+') == ARGV[2] then
  redis.call('PUBLISH', KEYS[1], '')
  return redis.call('HDEL', KEYS[1], ARGV[1])
end
return 0
