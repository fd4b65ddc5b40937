-- Saves one ticket's record if its stored version is still the expected one, with all that goes with it.
-- KEYS: 1 actors  2 changes  3 revisions  4 unsettled  5 this ticket's history  6 audit
-- ARGV: 1 ticket id  2 expected version  3 record without its version  4 "1" when unsettled
--       5 how much history to keep  6 audit event, or ""  7 how many audit events to keep
--       8 "1" when nobody is to be told  9... history events, oldest first
-- returns: the new version and the revision that it made; 0 and 0 when someone else saved first, and then nothing is
--          written

local id = ARGV[1]
local stored = redis.call('HGET', KEYS[1], id)
local version = stored and string.match(stored, '^%d+') or '0'
if version ~= ARGV[2] then
  return { 0, 0 }
end

local next_version = tonumber(version) + 1
redis.call('HSET', KEYS[1], id, string.format('%d %s', next_version, ARGV[3]))

local revision = redis.call('HINCRBY', KEYS[3], 'actors', 1)
redis.call('ZADD', KEYS[2], revision, id)
if ARGV[8] ~= '1' then
  redis.call('PUBLISH', KEYS[3], string.format('actors %d', revision))
end

if ARGV[4] == '1' then
  redis.call('ZADD', KEYS[4], revision, id)
else
  redis.call('ZREM', KEYS[4], id)
end

if #ARGV > 8 then
  -- Numbered without gaps, so that a cursor keeps its place while new events come in.
  local newest = redis.call('LINDEX', KEYS[5], 0)
  local number = newest and tonumber(string.match(newest, '^%d+')) or 0
  for i = 9, #ARGV do
    number = number + 1
    redis.call('LPUSH', KEYS[5], string.format('%d %s', number, ARGV[i]))
  end
  redis.call('LTRIM', KEYS[5], 0, tonumber(ARGV[5]) - 1)
end

if ARGV[6] ~= '' then
  redis.call('XADD', KEYS[6], 'MAXLEN', '=', ARGV[7], '*', 'event', ARGV[6])
end

return { next_version, revision }
