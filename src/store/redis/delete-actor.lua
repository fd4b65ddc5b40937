-- Forgets one ticket with its history; the change feed tells of it.
-- KEYS: 1 actors  2 changes  3 revisions  4 unsettled  5 this ticket's history
-- ARGV: 1 ticket id
-- returns: 1 when there was one, else 0

if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then
  return 0
end
local revision = redis.call('HINCRBY', KEYS[3], 'actors', 1)
redis.call('ZADD', KEYS[2], revision, ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('DEL', KEYS[5])
return 1
