import { expect, it } from 'vitest'
import type { ExchangeSummary } from '../../src/api.ts'
import { filtered, noFilter, valuesOf } from '../../src/model/filter.ts'
import { count, duration, moment } from '../../src/model/numbers.ts'

const good: ExchangeSummary = {
  id: 'a1',
  time: '2026-11-16T09:30:00Z',
  state: 'ended',
  client: 'claude-cli/2.1',
  clientDialect: 'anthropic-messages',
  model: 'claude-x',
  upstream: 'lab',
  upstreamModel: 'kimi-k2',
  format: 'kimi',
  formatFrom: 'model',
  status: 200,
  finish: 'stop',
  firstByteMs: 10,
  durationMs: 20,
  inputTokens: 1,
  outputTokens: 2,
  calls: 0,
  problems: 0,
  repairs: 0,
  notes: 0,
  failure: null,
}
const failed: ExchangeSummary = {
  ...good,
  id: 'b2',
  state: 'failed',
  status: 502,
  upstream: 'other',
  failure: 'It broke off.',
}
const repaired: ExchangeSummary = { ...good, id: 'c3', model: 'qwen', repairs: 1 }
const running: ExchangeSummary = { ...good, id: 'd4', state: 'running', status: null }
const all = [good, failed, repaired, running]

it.each([
  [noFilter, ['a1', 'b2', 'c3', 'd4']],
  [{ ...noFilter, text: 'KIMI broke' }, ['b2']],
  [{ ...noFilter, model: 'qwen' }, ['c3']],
  [{ ...noFilter, upstream: 'other' }, ['b2']],
  [{ ...noFilter, state: 'failed' as const }, ['b2']],
  [{ ...noFilter, state: 'running' as const }, ['d4']],
  [{ ...noFilter, onlyProblems: true }, ['b2', 'c3']],
])('%j shows %j', (filter, ids) => {
  expect(filtered(all, filter).map(({ id }) => id)).toEqual(ids)
})

it('the choices of a filter are the values there are', () => {
  expect(valuesOf(all, 'upstream')).toEqual(['lab', 'other'])
})

it('numbers are short', () => {
  expect([duration(null), duration(840.4), duration(2300), duration(64_200), duration(119_700)]).toEqual([
    '–',
    '840 ms',
    '2.30 s',
    '1m 4s',
    '2m 0s',
  ])
  expect([count(9999), count(48_200), count(1_240_000)]).toEqual(['9999', '48.2k', '1.2M'])
  expect(moment('no time')).toBe('no time')
  const now = new Date(2026, 10, 18, 9)
  const days = [new Date(2026, 10, 18, 8, 7, 6), new Date(2026, 10, 16, 8, 7), new Date(2025, 1, 3, 8, 7)]
  expect(days.map((day) => moment(day.toISOString(), now))).toEqual([
    '08:07:06',
    '16 Nov 08:07',
    '3 Feb 2025 08:07',
  ])
})
