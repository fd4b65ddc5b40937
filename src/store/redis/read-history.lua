-- One page of a ticket's history, newest first.
-- KEYS: 1 this ticket's history
-- ARGV: 1 cursor: the number of the last event seen, or ""  2 how many
-- returns: events as "<number> <JSON>"

local from = 0
if ARGV[1] ~= '' then
  local newest = redis.call('LINDEX', KEYS[1], 0)
  if not newest then
    return {}
  end
  from = math.max(0, tonumber(string.match(newest, '^%d+')) - tonumber(ARGV[1]) + 1)
end
return redis.call('LRANGE', KEYS[1], from, from + tonumber(ARGV[2]) - 1)
