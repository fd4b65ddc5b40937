-- Adds a note, forgetting the oldest beyond the limit, and keeps all of them from now.
-- KEYS: 1 notes
-- ARGV: 1 JSON  2 how many to keep  3 milliseconds
-- returns: how many there are

local count = redis.call('RPUSH', KEYS[1], ARGV[1])
if count > tonumber(ARGV[2]) then
  redis.call('LTRIM', KEYS[1], -ARGV[2], -1)
  count = tonumber(ARGV[2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return count
