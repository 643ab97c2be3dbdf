import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairToolBlocks } from '../../src/ids/pairing.ts'
import { getToolIdStrategy } from '../../src/ids/strategies.ts'
import { anyHistory } from './any-history.ts'
import { ai, call, human, mappedIds, response, tool, toolBlocks } from './history.ts'

const styles = [
  { format: 'standard', style: /^[a-zA-Z0-9_-]{1,64}$/ },
  { format: 'kimi', style: /^functions\.[^]+:\d+$/ },
  { format: 'mistral', style: /^[a-zA-Z0-9]{9}$/ },
  { format: 'anthropic', style: /^toolu_[a-zA-Z0-9_-]{1,58}$/ },
] as const

describe.each(styles)('ids pair: $format', ({ format, style }) => {
  const strategy = getToolIdStrategy(format)

  it('a call and all its responses leave with one id', () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        const ids = mappedIds(strategy, contents)
        const { answeredCalls, blocks } = pairToolBlocks(contents)
        for (const answeredCall of answeredCalls) {
          const ofCall = ids.filter((_id, at) => blocks[at]?.answeredCall === answeredCall)
          expect(ofCall).toHaveLength((answeredCall.call === null ? 0 : 1) + answeredCall.responses.length)
          expect(new Set(ofCall).size).toBe(1)
        }
      }),
    )
  })

  it('no two calls share an id, and no response without a call has the id of one', () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        expect(new Set(mappedIds(strategy, contents)).size).toBe(
          pairToolBlocks(contents).answeredCalls.length,
        )
      }),
    )
  })

  it('every id is in the style of the target', () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        for (const id of mappedIds(strategy, contents)) expect(id).toMatch(style)
      }),
    )
  })

  it('equal histories give equal ids', () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        expect(mappedIds(strategy, structuredClone(contents))).toEqual(mappedIds(strategy, contents))
      }),
    )
  })

  it('a history that grows keeps the ids it had', () => {
    fc.assert(
      fc.property(anyHistory, anyHistory, (before, appended) => {
        const ids = mappedIds(strategy, before)
        expect(mappedIds(strategy, [...before, ...appended]).slice(0, ids.length)).toEqual(ids)
      }),
    )
  })

  it('copies asked for in order get the same ids as the blocks themselves', () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        expect(mappedIds(strategy, contents, 'copies')).toEqual(mappedIds(strategy, contents))
      }),
    )
  })

  it('ids that went through the strategy once stay as they are', () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        const ids = mappedIds(strategy, contents)
        const mapped = toolBlocks(contents).map((block, at) =>
          block.type === 'tool_call'
            ? ai({ ...block, id: ids[at] ?? '' })
            : tool({ ...block, callId: ids[at] ?? '' }),
        )
        expect(mappedIds(strategy, mapped)).toEqual(ids)
      }),
    )
  })

  it('a frozen history is enough, for nothing in it is changed', () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        const before = structuredClone(contents)
        const ids = mappedIds(strategy, contents)
        expect(mappedIds(strategy, deepFreeze(contents))).toEqual(ids)
        expect(contents).toEqual(before)
      }),
    )
  })

  it('one id repeated over twenty thousand turns, half of them interrupted, is no trouble', () => {
    const turns = Array.from({ length: 10_000 }, () => [
      ai(call('functions.get_weather:0')),
      human(),
      ai(call('functions.get_weather:0')),
      tool(response('functions.get_weather:0')),
    ])
    const started = performance.now()
    const ids = mappedIds(strategy, turns.flat())
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(new Set(ids).size).toBe(20_000)
  })
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}
