import { createHash } from 'node:crypto'
import { WINDOW_SLOTS } from './minute-window.ts'

/** A program that Redis runs as one step. It is known there by its digest, once it has been sent. */
export interface RedisScript {
  readonly text: string
  readonly digest: string
}

/** The hash of a minute has a field for each second in which something was used. */
const readWindow = `
local time = redis.call('TIME')
local slot = tonumber(time[1])
local now = slot * 1000 + math.floor(tonumber(time[2]) / 1000)

local function window(key)
  local read = { used = 0, slots = {} }
  local all = redis.call('HGETALL', key)
  for at = 1, #all, 2 do
    local each, count = tonumber(all[at]), tonumber(all[at + 1])
    if each <= slot - ${WINDOW_SLOTS} then
      redis.call('HDEL', key, all[at])
    else
      read.used = read.used + count
      table.insert(read.slots, { each, count })
    end
  end
  table.sort(read.slots, function(one, other) return one[1] < other[1] end)
  return read
end

local function add(key, field, amount)
  redis.call('HINCRBY', key, field, amount)
  redis.call('EXPIRE', key, ${WINDOW_SLOTS + 1})
end
`

/** The memory store decides in the same way: see there. -1 is no limit. */
export const claimScript = script(`${readWindow}
local requestsKey, tokensKey, leasesKey, spentKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id = ARGV[1]
local requestsLimit, tokensLimit, concurrent = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local tokens, budget, cost = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local leaseMs, concurrentWait, spentSeconds = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])

local function waitFor(read, amount, limit)
  local over = read.used + amount - limit
  if limit < 0 or over <= 0 then return 0 end
  for _, each in ipairs(read.slots) do
    over = over - each[2]
    if over <= 0 then return (each[1] + ${WINDOW_SLOTS}) * 1000 - now end
  end
  return ${WINDOW_SLOTS} * 1000
end

local function resetIn(read)
  local newest = read.slots[#read.slots]
  return newest and (newest[1] + ${WINDOW_SLOTS}) * 1000 - now or 0
end

local requests, used = window(requestsKey), window(tokensKey)
local obstacle, wait = '', 0

if concurrent >= 0 then
  redis.call('ZREMRANGEBYSCORE', leasesKey, '-inf', now)
  if redis.call('ZCARD', leasesKey) >= concurrent then obstacle, wait = 'concurrent', concurrentWait end
end
if obstacle == '' then
  wait = waitFor(requests, 1, requestsLimit)
  if wait > 0 then obstacle = 'requests' end
end
if obstacle == '' then
  wait = waitFor(used, math.min(tokens, tokensLimit), tokensLimit)
  if wait > 0 then obstacle = 'tokens' end
end
if obstacle == '' and budget >= 0 then
  local spent = tonumber(redis.call('GET', spentKey) or '0')
  if spent >= budget or spent + cost > budget then obstacle = 'budget' end
end

if obstacle == '' then
  if concurrent >= 0 then
    redis.call('ZADD', leasesKey, now + leaseMs, id)
    redis.call('PEXPIRE', leasesKey, leaseMs)
  end
  if requestsLimit >= 0 then
    add(requestsKey, slot, 1)
    requests.used = requests.used + 1
    table.insert(requests.slots, { slot, 1 })
  end
  if tokensLimit >= 0 then
    add(tokensKey, slot, tokens)
    used.used = used.used + tokens
    table.insert(used.slots, { slot, tokens })
  end
  if budget >= 0 then
    redis.call('INCRBY', spentKey, string.format('%.0f', cost))
    redis.call('EXPIRE', spentKey, spentSeconds)
  end
end
return { obstacle, wait, slot, requests.used, resetIn(requests), used.used, resetIn(used) }
`)

/** Puts right what was taken, and adds to what is kept of the day. */
export const settleScript = script(`${readWindow}
local tokensKey, leasesKey, spentKey, usageKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, takenIn = ARGV[1], ARGV[2]
local surplus, cost = tonumber(ARGV[3]), ARGV[4]
local spentSeconds, usageSeconds = tonumber(ARGV[5]), tonumber(ARGV[6])

redis.call('ZREM', leasesKey, id)
if surplus > 0 then
  add(tokensKey, slot, surplus)
elseif surplus < 0 and redis.call('HEXISTS', tokensKey, takenIn) == 1 then
  add(tokensKey, takenIn, surplus)
end
if cost ~= '0' then
  redis.call('INCRBY', spentKey, cost)
  redis.call('EXPIRE', spentKey, spentSeconds)
end
for at = 7, #ARGV, 2 do redis.call('HINCRBY', usageKey, ARGV[at], ARGV[at + 1]) end
if #ARGV > 6 then redis.call('EXPIRE', usageKey, usageSeconds) end
return 1
`)

/** Counts what was let through while nobody could ask here: first so many seconds with requests, then those with tokens. */
export const addLatestScript = script(`${readWindow}
local lastOfRequests = 1 + 2 * tonumber(ARGV[1])
for at = 2, #ARGV, 2 do
  local ago = tonumber(ARGV[at])
  local key = at <= lastOfRequests and KEYS[1] or KEYS[2]
  if ago < ${WINDOW_SLOTS} then add(key, slot - ago, ARGV[at + 1]) end
end
return 1
`)

/** Requests of this process are still under way. One that dies no longer says so, and its requests count no more. */
export const renewScript = script(`${readWindow}
local leaseMs = tonumber(ARGV[1])
for at, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + leaseMs, ARGV[at + 1])
  redis.call('PEXPIRE', key, leaseMs)
end
return 1
`)

function script(text: string): RedisScript {
  return { text, digest: createHash('sha1').update(text).digest('hex') }
}
