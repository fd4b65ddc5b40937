-- Forgets tickets with their histories; the change feed tells of each.
-- KEYS: 1 actors  2 changes  3 revisions  4 unsettled  5... the history of each ticket
-- ARGV: the tickets' ids, in the same order
-- returns: how many of them there were

local gone = 0
local revision
for i, id in ipairs(ARGV) do
  if redis.call('HDEL', KEYS[1], id) == 1 then
    gone = gone + 1
    revision = redis.call('HINCRBY', KEYS[3], 'actors', 1)
    redis.call('ZADD', KEYS[2], revision, id)
    redis.call('ZREM', KEYS[4], id)
    redis.call('UNLINK', KEYS[i + 4])
  end
end
if gone > 0 then
  redis.call('PUBLISH', KEYS[3], string.format('actors %d', revision))
end
return gone
