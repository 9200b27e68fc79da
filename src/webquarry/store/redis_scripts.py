"""Lua scripts for Redis, which runs each as one step."""

from __future__ import annotations

# Set a key that has no value. KEYS the key; ARGV the value. Returns the value it has then.
SET_FIRST = "redis.call('SET', KEYS[1], ARGV[1], 'NX') return redis.call('GET', KEYS[1])"

# Hold one of several slots. KEYS the slots; ARGV token, maximum, lease in ms. A maximum below 0
# renews a slot.
SLOT_HOLD = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local most = tonumber(ARGV[2])
if most >= 0 and redis.call('ZCARD', KEYS[1]) >= most then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
"""

# Sliding counts, computed as in quota.py (judge, WindowCounts.at). KEYS one per limit; ARGV
# per limit: maximum, number of the window, part of it that has passed, life in ms, windows by which
# clocks may differ. Returns 1 or 0 (counted or not), and the two counts and the part of each limit
# as they were before.
COUNT_TAKE = """
local fits, counts = 1, {}
for i, key in ipairs(KEYS) do
    local most, window, part = tonumber(ARGV[5*i-4]), tonumber(ARGV[5*i-3]), ARGV[5*i-2]
    local kept = redis.call('HMGET', key, 'window', 'before', 'current')
    local at = tonumber(kept[1] or window)
    local before, current = tonumber(kept[2] or 0), tonumber(kept[3] or 0)
    if at - window - tonumber(part) > tonumber(ARGV[5*i]) then
        at, before = window, 0
        redis.call('HSET', key, 'window', at, 'before', before)
    end
    if at > window then window, part = at, '0' end
    if at == window - 1 then before, current = current, 0
    elseif at < window then before, current = 0, 0 end
    if before * (1 - tonumber(part)) + current + 1 > most then fits = 0 end
    counts[i] = {window, before, current, part}
end
if fits == 1 then
    for i, key in ipairs(KEYS) do
        local window, before, current = counts[i][1], counts[i][2], counts[i][3]
        redis.call('HSET', key, 'window', window, 'before', before, 'current', current + 1)
        redis.call('PEXPIRE', key, ARGV[5*i-1])
    end
end
return {fits, counts}
"""

# Journals. KEYS[1] is the prefix P; the other names are made from it here.
#
# P:meta:NAME      hash: owner, id (encrypted), created, touched, finished
# P:entries:NAME   list of a mark and an encrypted entry each; the mark identifies the change if it
#                  is sent again after the connection was lost
# P:owner:OWNER    sorted set of the names of an owner by the moment they were touched
# P:touched        the same over all owners
_JOURNAL = """
local P = KEYS[1]
local function meta(name) return P .. ':meta:' .. name end
local function entries(name) return P .. ':entries:' .. name end
local function added(name, index, mark)
    local entry = redis.call('LINDEX', entries(name), index)
    return entry and string.sub(entry, 1, 32) == mark
end
local function owned(owner) return P .. ':owner:' .. owner end
local function finished(owner) return P .. ':finished:' .. owner end
local function touch(owner, name, now)
    redis.call('ZADD', owned(owner), now, name)
    redis.call('ZADD', finished(owner), 'XX', now, name)
    redis.call('ZADD', P .. ':touched', now, name)
end
local function forget(name)
    local owner = redis.call('HGET', meta(name), 'owner')
    if owner then
        redis.call('ZREM', owned(owner), name)
        redis.call('ZREM', finished(owner), name)
    end
    redis.call('ZREM', P .. ':touched', name)
    redis.call('DEL', entries(name))
    return redis.call('DEL', meta(name))
end
"""

# ARGV name, owner, now, the moment before which a journal is too idle, most, encrypted id,
# encrypted entry, mark. A call that fails only deletes idle journals.
JOURNAL_BEGIN = f"""{_JOURNAL}
local name, owner, now, cutoff, most = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
if added(name, 0, ARGV[8]) then return 'begun' end
local idle = redis.call('ZRANGEBYSCORE', P .. ':touched', '-inf', '(' .. cutoff)
for _, held in ipairs(idle) do forget(held) end
if redis.call('EXISTS', meta(name)) == 1 then return 'exists' end
for _, key in ipairs({{finished(owner), owned(owner)}}) do
    local over = redis.call('ZCARD', owned(owner)) - most + 1
    if over > 0 then
        for _, held in ipairs(redis.call('ZRANGE', key, 0, over - 1)) do forget(held) end
    end
end
redis.call('HSET', meta(name), 'owner', owner, 'id', ARGV[6],
    'created', now, 'touched', now, 'finished', '0')
redis.call('RPUSH', entries(name), ARGV[8] .. ARGV[7])
touch(owner, name, now)
return 'begun'
"""

# ARGV name, how many entries there are, encrypted entry, now, finished ('' leaves it as it is),
# mark
JOURNAL_APPEND = f"""{_JOURNAL}
local name, now = ARGV[1], ARGV[4]
local kept = redis.call('HMGET', meta(name), 'owner', 'touched')
local count = redis.call('LLEN', entries(name))
if not kept[1] then return {{'none', 0}} end
if added(name, ARGV[2], ARGV[6]) then return {{'added', ARGV[2] + 1}} end
if count ~= tonumber(ARGV[2]) then return {{'moved', count}} end
count = redis.call('RPUSH', entries(name), ARGV[6] .. ARGV[3])
if ARGV[5] ~= '' then redis.call('HSET', meta(name), 'finished', ARGV[5]) end
if ARGV[5] == '1' then redis.call('ZADD', finished(kept[1]), kept[2], name) end
if ARGV[5] == '0' then redis.call('ZREM', finished(kept[1]), name) end
if tonumber(now) > tonumber(kept[2]) then
    redis.call('HSET', meta(name), 'touched', now)
    touch(kept[1], name, now)
end
return {{'added', count}}
"""

# ARGV name, number of entries to skip
JOURNAL_READ = f"""{_JOURNAL}
local kept = redis.call('HMGET', meta(ARGV[1]), 'created', 'touched', 'finished')
if not kept[1] then return false end
local key = entries(ARGV[1])
local entries_after = redis.call('LRANGE', key, ARGV[2], -1)
return {{kept[1], kept[2], kept[3], entries_after, redis.call('LLEN', key)}}
"""

# ARGV owner
JOURNAL_LIST = f"""{_JOURNAL}
local found = {{}}
for i, name in ipairs(redis.call('ZRANGE', owned(ARGV[1]), 0, -1)) do
    local kept = redis.call('HMGET', meta(name), 'id', 'created', 'touched', 'finished')
    found[i] = {{name, kept[1], kept[2], kept[3], kept[4]}}
end
return found
"""

# ARGV name
JOURNAL_COUNT = f"{_JOURNAL}return redis.call('LLEN', entries(ARGV[1]))\n"

# ARGV name. Gives 1 or 0: there was one or not.
JOURNAL_DELETE = f"{_JOURNAL}return forget(ARGV[1])\n"
