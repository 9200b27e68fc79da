"""Lua scripts for Redis, which runs each as one step: slots, counts, journals, the bill."""

from __future__ import annotations

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

# Sliding counts, as in quota.py. KEYS one per limit; ARGV per limit: maximum, number of the window,
# part of it that has passed, lifetime in ms. Returns 1 or 0 (counted or not), and for each limit
# the count of the last window, of this one, and the part.
COUNT_TAKE = """
local fits, counts, windows = 1, {}, {}
for i, key in ipairs(KEYS) do
    local most, window, part = tonumber(ARGV[4*i-3]), tonumber(ARGV[4*i-2]), ARGV[4*i-1]
    local stored = redis.call('HMGET', key, 'window', 'before', 'current')
    local at = tonumber(stored[1] or window)
    local before, current = tonumber(stored[2] or 0), tonumber(stored[3] or 0)
    if at == window - 1 then before, current = current, 0
    elseif at < window then before, current = 0, 0
    elseif at > window + 1 then
        before = 0
        redis.call('HSET', key, 'window', window, 'before', before)
    elseif at == window + 1 then window, part = at, '0' end
    if before * (1 - tonumber(part)) + current + 1 > most then fits = 0 end
    counts[i], windows[i] = {before, current, part}, window
end
if fits == 1 then
    for i, key in ipairs(KEYS) do
        local before, current = counts[i][1], counts[i][2]
        redis.call('HSET', key, 'window', windows[i], 'before', before, 'current', current + 1)
        redis.call('PEXPIRE', key, ARGV[4*i])
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
local stored = redis.call('HMGET', meta(name), 'owner', 'touched')
local count = redis.call('LLEN', entries(name))
if not stored[1] then return {{'none', 0}} end
if added(name, ARGV[2], ARGV[6]) then return {{'added', ARGV[2] + 1}} end
if count ~= tonumber(ARGV[2]) then return {{'moved', count}} end
count = redis.call('RPUSH', entries(name), ARGV[6] .. ARGV[3])
if ARGV[5] ~= '' then redis.call('HSET', meta(name), 'finished', ARGV[5]) end
if ARGV[5] == '1' then redis.call('ZADD', finished(stored[1]), stored[2], name) end
if ARGV[5] == '0' then redis.call('ZREM', finished(stored[1]), name) end
if tonumber(now) > tonumber(stored[2]) then
    redis.call('HSET', meta(name), 'touched', now)
    touch(stored[1], name, now)
end
return {{'added', count}}
"""

# ARGV name, number of entries to skip
JOURNAL_READ = f"""{_JOURNAL}
local stored = redis.call('HMGET', meta(ARGV[1]), 'created', 'touched', 'finished')
if not stored[1] then return false end
local key = entries(ARGV[1])
local entries_after = redis.call('LRANGE', key, ARGV[2], -1)
return {{stored[1], stored[2], stored[3], entries_after, redis.call('LLEN', key)}}
"""

# ARGV owner
JOURNAL_LIST = f"""{_JOURNAL}
local found = {{}}
for i, name in ipairs(redis.call('ZRANGE', owned(ARGV[1]), 0, -1)) do
    local stored = redis.call('HMGET', meta(name), 'id', 'created', 'touched', 'finished')
    found[i] = {{name, stored[1], stored[2], stored[3], stored[4]}}
end
return found
"""

# ARGV name
JOURNAL_COUNT = f"{_JOURNAL}return redis.call('LLEN', entries(ARGV[1]))\n"

# ARGV name. Gives 1 or 0: there was one or not.
JOURNAL_DELETE = f"{_JOURNAL}return forget(ARGV[1])\n"

# Lua scripts of questions to models: answers, leases on questions and the ledger of all processes
# that share a Redis. Each may be sent twice.
#
# KEYS[1] is the prefix P of all names.
#
# P:answer:NAME        an answer, encrypted, until it expires
# P:lease:NAME         the reservation of the process that asks the question now
# P:reservation:ID     hash: statement, door, day, model, amount, questions
# P:held               sorted set of the reservations by the moment they end unless they are renewed
# P:swept:ID           a reservation that expired: it was counted as spent, and as uncertain
# P:settled:ID         one that was settled a while ago
# P:statement:ID       hash: spent, held (money), asked, asking (questions), open (reservations)
# P:day:DAY            hash: spent, held
# P:row:DAY:...        hash: a row of the bill; P:rows lists them by their day
# P:note:STATEMENT     hash: what is noted of a statement; P:notes lists them by their moment
_COMMON = """
local P = KEYS[1]
local KEPT = 400 * 86400
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function statement_of(id) return P .. ':statement:' .. id end
local function day_of(day) return P .. ':day:' .. day end
local function read(id)
    local fields = redis.call('HMGET', P .. ':reservation:' .. id,
        'statement', 'door', 'day', 'model', 'amount', 'questions')
    return fields[1] and fields
end
local function hold(id, r, sign)
    local statement = statement_of(r[1])
    redis.call('HINCRBY', statement, 'held', sign * r[5])
    redis.call('HINCRBY', statement, 'asking', sign * r[6])
    redis.call('HINCRBY', statement, 'open', sign)
    redis.call('EXPIRE', statement, KEPT)
    redis.call('HINCRBY', day_of(r[3]), 'held', sign * r[5])
    redis.call('EXPIRE', day_of(r[3]), KEPT)
end
local function let_go(id, r)
    redis.call('ZREM', P .. ':held', id)
    redis.call('DEL', P .. ':reservation:' .. id)
    hold(id, r, -1)
end
local function spend(r, moment, counts)
    local row = P .. ':row:' .. r[3] .. ':' .. r[1] .. ':' .. r[4]
    redis.call('HSET', row, 'day', r[3], 'statement', r[1], 'door', r[2], 'model', r[4])
    redis.call('HSETNX', row, 'begun_at', moment)
    for i = 1, #counts, 2 do redis.call('HINCRBY', row, counts[i], counts[i + 1]) end
    redis.call('EXPIRE', row, KEPT)
    redis.call('ZADD', P .. ':rows', string.gsub(r[3], '-', ''), row)
    local spent = 0
    for i = 1, #counts, 2 do
        if counts[i] == 'amount' or counts[i] == 'uncertain' then spent = spent + counts[i + 1] end
        if counts[i] == 'questions' then
            redis.call('HINCRBY', statement_of(r[1]), 'asked', counts[i + 1])
        end
    end
    redis.call('HINCRBY', statement_of(r[1]), 'spent', spent)
    redis.call('HINCRBY', day_of(r[3]), 'spent', spent)
end
local function sweep()
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. ':held', '-inf', now)) do
        local r = read(id)
        redis.call('ZREM', P .. ':held', id)
        if r then
            let_go(id, r)
            spend(r, now / 1000, {'uncertain', r[5], 'questions', r[6]})
            redis.call('SET', P .. ':swept:' .. id, '1', 'EX', 86400)
        end
    end
end
"""

# ARGV name of the question ('' if it is not shared), reservation, lease in ms, a stored answer to
# ignore, statement, door, day, model, amount, questions; the limits of the statement, of
# the day and of questions ('' for none). Returns answered and the answer, wait, mine, or over with
# the limit, the amount used, and whether the statement's own calls hold some of it.
ASK_ENTER = (
    _COMMON
    + """
local name, id, lease_ms, amount, questions = ARGV[1], ARGV[2], ARGV[3], ARGV[9], ARGV[10]
if redis.call('EXISTS', P .. ':reservation:' .. id) == 1 then return {'mine'} end
sweep()
if name ~= '' then
    local stored = redis.call('GET', P .. ':answer:' .. name)
    if stored and stored ~= ARGV[4] then return {'answered', stored} end
    if redis.call('EXISTS', P .. ':lease:' .. name) == 1 then return {'wait'} end
end
local r = {ARGV[5], ARGV[6], ARGV[7], ARGV[8], amount, questions}
local of_statement = redis.call('HMGET', statement_of(r[1]),
    'spent', 'held', 'asked', 'asking', 'open')
local of_day = redis.call('HMGET', day_of(r[3]), 'spent', 'held')
local waiting = tonumber(of_statement[5] or 0) > 0 and 1 or 0
local function over(what, limit, one, two, wanted)
    if limit == '' then return nil end
    local used = tonumber(one or 0) + tonumber(two or 0)
    if used + wanted > tonumber(limit) then
        return {'over', what, string.format('%.0f', used), waiting}
    end
end
local refusal = over('statement', ARGV[11], of_statement[1], of_statement[2], tonumber(amount))
    or over('day', ARGV[12], of_day[1], of_day[2], tonumber(amount))
if not refusal and questions ~= '0' then
    refusal = over('questions', ARGV[13], of_statement[3], of_statement[4], tonumber(questions))
end
if refusal then return refusal end
redis.call('HSET', P .. ':reservation:' .. id, 'statement', r[1], 'door', r[2], 'day', r[3],
    'model', r[4], 'amount', amount, 'questions', questions)
redis.call('ZADD', P .. ':held', now + lease_ms, id)
hold(id, r, 1)
if name ~= '' then redis.call('SET', P .. ':lease:' .. name, id, 'PX', lease_ms) end
return {'mine'}
"""
)

# ARGV names of questions. Returns each answer, or ''.
ASK_FIND = """
local found = {}
for i, name in ipairs(ARGV) do
    found[i] = redis.call('GET', KEYS[1] .. ':answer:' .. name) or ''
end
return found
"""

# ARGV name of the question, its reservation, the answer ('' for none), its life in ms, the moment;
# then for each reservation: ID, statement, door, day, model, amount, questions as
# reserved, and amount, uncertain, questions, calls, searches, input, output, cached as they came.
ASK_SETTLE = (
    _COMMON
    + """
local names = {'amount', 'uncertain', 'questions', 'calls', 'searches',
    'input_tokens', 'output_tokens', 'cached_tokens'}
for at = 6, #ARGV, 15 do
    local id = ARGV[at]
    local r = {ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5], ARGV[at + 6]}
    if redis.call('EXISTS', P .. ':settled:' .. id) == 0 then
        local counts = {}
        for i, name in ipairs(names) do
            counts[2 * i - 1], counts[2 * i] = name, tonumber(ARGV[at + 6 + i])
        end
        if read(id) then
            let_go(id, r)
        elseif redis.call('DEL', P .. ':swept:' .. id) == 1 then
            counts[4] = counts[4] - r[5]
            counts[6] = counts[6] - r[6]
        end
        spend(r, ARGV[5], counts)
        redis.call('SET', P .. ':settled:' .. id, '1', 'EX', 3600)
    end
end
if ARGV[3] ~= '' then
    redis.call('SET', P .. ':answer:' .. ARGV[1], ARGV[3], 'PX', ARGV[4])
end
if ARGV[1] ~= '' and redis.call('GET', P .. ':lease:' .. ARGV[1]) == ARGV[2] then
    redis.call('DEL', P .. ':lease:' .. ARGV[1])
end
return 1
"""
)

# ARGV name of the question, its reservation.
ASK_RELEASE = """
if redis.call('GET', KEYS[1] .. ':lease:' .. ARGV[1]) == ARGV[2] then
    redis.call('DEL', KEYS[1] .. ':lease:' .. ARGV[1])
end
return 1
"""

# ARGV lease in ms; then for each reservation its ID and the name of its question, or ''.
ASK_RENEW = (
    _COMMON
    + """
for at = 2, #ARGV, 2 do
    local id, lease = ARGV[at], P .. ':lease:' .. ARGV[at + 1]
    redis.call('ZADD', P .. ':held', 'XX', now + ARGV[1], id)
    if redis.call('GET', lease) == id then redis.call('PEXPIRE', lease, ARGV[1]) end
end
return 1
"""
)

# ARGV for each statement: ID, door, moment, words, new hits, new kept_searches.
ASK_NOTE = (
    _COMMON
    + """
for at = 1, #ARGV, 6 do
    local note = P .. ':note:' .. ARGV[at]
    redis.call('HSETNX', note, 'door', ARGV[at + 1])
    redis.call('HSETNX', note, 'begun_at', ARGV[at + 2])
    redis.call('HSETNX', note, 'words', ARGV[at + 3])
    redis.call('HINCRBY', note, 'hits', ARGV[at + 4])
    redis.call('HINCRBY', note, 'kept_searches', ARGV[at + 5])
    redis.call('EXPIRE', note, KEPT)
    redis.call('ZADD', P .. ':notes', ARGV[at + 2], ARGV[at])
end
return 1
"""
)

# ARGV the first day as a number, the first moment. Returns the rows of the bill and the notes.
ASK_BILL = (
    _COMMON
    + """
sweep()
local rows, notes = {}, {}
for _, row in ipairs(redis.call('ZRANGEBYSCORE', P .. ':rows', ARGV[1], '+inf')) do
    rows[#rows + 1] = redis.call('HMGET', row, 'day', 'statement', 'door', 'model', 'begun_at',
        'questions', 'calls', 'searches', 'input_tokens', 'output_tokens', 'cached_tokens',
        'amount', 'uncertain')
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. ':notes', ARGV[2], '+inf')) do
    local note = redis.call('HMGET', P .. ':note:' .. id,
        'door', 'begun_at', 'words', 'hits', 'kept_searches')
    if note[1] then notes[#notes + 1] = {id, unpack(note)} end
end
return {rows, notes}
"""
)
