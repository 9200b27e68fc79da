"""The Lua scripts of the journals in Redis. KEYS[1] is the prefix; other names are made from it
here.

P:meta:NAME      hash: owner, id (locked), created, touched, finished, mark (of the last change)
P:entries:NAME   list of locked entries
P:owner:OWNER    sorted set of the names of an owner by the moment they were touched
P:touched        the same over all owners
"""

from __future__ import annotations

_COMMON = """
local P = KEYS[1]
local function meta(name) return P .. ':meta:' .. name end
local function entries(name) return P .. ':entries:' .. name end
local function added(name, index, mark)
    local entry = redis.call('LINDEX', entries(name), index)
    return entry and string.sub(entry, 1, 32) == mark
end
local function forget(name)
    local owner = redis.call('HGET', meta(name), 'owner')
    if owner then redis.call('ZREM', P .. ':owner:' .. owner, name) end
    redis.call('ZREM', P .. ':touched', name)
    redis.call('DEL', entries(name))
    return redis.call('DEL', meta(name))
end
"""

# ARGV name, owner, now, the moment before which a journal is too idle, most, locked id, locked
# entry, mark. Whatever is refused has changed nothing, but that idle journals are gone.
BEGIN = (
    _COMMON
    + """
local name, owner, now, cutoff, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
if added(name, 0, ARGV[8]) then return 'begun' end
for _, idle in ipairs(redis.call('ZRANGEBYSCORE', P .. ':touched', '-inf', '(' .. cutoff)) do forget(idle) end
if redis.call('EXISTS', meta(name)) == 1 then return 'exists' end
local over, finished = redis.call('ZCARD', P .. ':owner:' .. owner) - most + 1, {}
if over > 0 then
    for _, held in ipairs(redis.call('ZRANGE', P .. ':owner:' .. owner, 0, -1)) do
        if #finished < over and redis.call('HGET', meta(held), 'finished') == '1' then table.insert(finished, held) end
    end
    if #finished < over then return 'too many' end
    for _, held in ipairs(finished) do forget(held) end
end
redis.call('HSET', meta(name), 'owner', owner, 'id', ARGV[6], 'created', now, 'touched', now, 'finished', '0')
redis.call('RPUSH', entries(name), ARGV[8] .. ARGV[7])
redis.call('ZADD', P .. ':owner:' .. owner, now, name)
redis.call('ZADD', P .. ':touched', now, name)
return 'begun'
"""
)

# ARGV name, how many entries there are, locked entry, now, finished ('' leaves it as it is), mark
APPEND = (
    _COMMON
    + """
local name, now = ARGV[1], ARGV[4]
local kept = redis.call('HMGET', meta(name), 'owner', 'touched')
local count = redis.call('LLEN', entries(name))
if not kept[1] then return {'none', 0} end
if added(name, ARGV[2], ARGV[6]) then return {'added', ARGV[2] + 1} end
if count ~= tonumber(ARGV[2]) then return {'moved', count} end
count = redis.call('RPUSH', entries(name), ARGV[6] .. ARGV[3])
if ARGV[5] ~= '' then redis.call('HSET', meta(name), 'finished', ARGV[5]) end
if tonumber(now) > tonumber(kept[2]) then
    redis.call('HSET', meta(name), 'touched', now)
    redis.call('ZADD', P .. ':owner:' .. kept[1], now, name)
    redis.call('ZADD', P .. ':touched', now, name)
end
return {'added', count}
"""
)

# ARGV name
READ = (
    _COMMON
    + """
local kept = redis.call('HMGET', meta(ARGV[1]), 'created', 'touched', 'finished')
if not kept[1] then return false end
return {kept[1], kept[2], kept[3], redis.call('LRANGE', entries(ARGV[1]), 0, -1)}
"""
)

# ARGV owner
LIST = (
    _COMMON
    + """
local said = {}
for i, name in ipairs(redis.call('ZRANGE', P .. ':owner:' .. ARGV[1], 0, -1)) do
    local kept = redis.call('HMGET', meta(name), 'id', 'created', 'touched', 'finished')
    said[i] = {name, kept[1], kept[2], kept[3], kept[4]}
end
return said
"""
)

# ARGV name
COUNT = _COMMON + "return redis.call('LLEN', entries(ARGV[1]))\n"

# ARGV name
DROP = _COMMON + "return forget(ARGV[1])\n"
