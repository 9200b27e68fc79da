"""Lua scripts of questions to models: answers, leases on questions and the ledger of all processes
that share a Redis. Each may be sent twice.

KEYS[1] is the prefix P of all names.

P:answer:NAME        an answer, encrypted, until it expires
P:lease:NAME         the reservation of the process that asks the question now
P:reservation:ID     hash: statement, door, day, model, amount, questions
P:held               sorted set of the reservations by the moment they end unless they are renewed
P:swept:ID           a reservation that expired: it was counted as spent, and as uncertain
P:settled:ID         one that was settled a while ago
P:statement:ID       hash: spent, held (money), asked, asking (questions), open (reservations)
P:day:DAY            hash: spent, held
P:row:DAY:...        hash: a row of the bill; P:rows lists them by their day
P:note:STATEMENT     hash: what is noted of a statement; P:notes lists them by their moment
"""

from __future__ import annotations

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
# the day and of questions ('' for none). Returns kept and the answer, wait, mine, or over with the
# limit, the amount used, and whether the statement's own calls hold some of it.
ASK_ENTER = (
    _COMMON
    + """
local name, id, lease_ms, amount, questions = ARGV[1], ARGV[2], ARGV[3], ARGV[9], ARGV[10]
if redis.call('EXISTS', P .. ':reservation:' .. id) == 1 then return {'mine'} end
sweep()
if name ~= '' then
    local kept = redis.call('GET', P .. ':answer:' .. name)
    if kept and kept ~= ARGV[4] then return {'kept', kept} end
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

# ARGV for each statement: ID, door, moment, words, new hits, new kept searches.
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
