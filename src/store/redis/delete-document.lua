-- Forgets one document.
-- KEYS: 1 documents of this kind  2 revisions
-- ARGV: 1 document id  2 the kind's field in revisions
-- returns: 1 when there was one, else 0

if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call('HINCRBY', KEYS[2], ARGV[2], 1)
redis.call('PUBLISH', KEYS[2], ARGV[2])
return 1
