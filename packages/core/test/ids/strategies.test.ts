import { describe, expect, it } from 'vitest'
import { DragomanError } from '../../src/errors.ts'
import { formatIds, type FormatId } from '../../src/formats/format-id.ts'
import { nineAlphanumerics } from '../../src/ids/digest.ts'
import { getToolIdStrategy } from '../../src/ids/strategies.ts'
import { ai, call, human, mappedIds, response, tool } from './history.ts'

describe('getToolIdStrategy', () => {
  it('has a style of its own for kimi, mistral and anthropic, and the standard one for every other format', () => {
    const own = new Set<FormatId>(['kimi', 'mistral', 'anthropic'])
    for (const format of formatIds) {
      expect(getToolIdStrategy(format).name).toBe(own.has(format) ? format : 'standard')
    }
  })

  it.each(['klingon', '__proto__', 'constructor', ''])(
    'refuses "%s", naming it and the known formats',
    (name) => {
      const attempt = (): unknown => Reflect.apply(getToolIdStrategy, undefined, [name])
      expect(attempt).toThrow(DragomanError)
      expect(attempt).toThrow(expect.objectContaining({ code: 'unknown-format' }))
      expect(attempt).toThrow(`"${name}"`)
      expect(attempt).toThrow(/standard, .*kimi/)
    },
  )
})

describe('standard ids', () => {
  const standard = getToolIdStrategy('standard')
  const idsOf = (...ids: string[]): string[] => mappedIds(standard, [ai(...ids.map((id) => call(id)))])

  it('pass unchanged when they are legal and unique', () => {
    const ids = ['call_1', 'toolu_01AbC', 'chatcmpl-tool-9f', '0', 'x'.repeat(64)]
    expect(idsOf(...ids)).toEqual(ids)
  })

  it('turn hist_tool_ into call_', () => {
    expect(mappedIds(standard, [ai(call('hist_tool_abc123')), tool(response('hist_tool_abc123'))])).toEqual([
      'call_abc123',
      'call_abc123',
    ])
  })

  it.each(['functions.get_weather:0', '', 'a b', 'é', 'hist_tool_a.b', 'x'.repeat(65)])(
    'replace the illegal id "%s"',
    (id) => {
      expect(idsOf(id)).toEqual([`call_${nineAlphanumerics(id)}`])
    },
  )

  it('leave the first of several equal ids as it is and replace the others', () => {
    const ids = mappedIds(standard, [
      ai(call('call_a')),
      tool(response('call_a')),
      human(),
      ai(call('call_a')),
      tool(response('call_a')),
    ])
    expect(ids.slice(0, 2)).toEqual(['call_a', 'call_a'])
    expect(ids[2]).toMatch(/^call_[a-zA-Z0-9]{9}$/)
    expect(ids[3]).toBe(ids[2])
  })

  it('give way to an earlier id when both would become the same', () => {
    const [first, second] = idsOf('hist_tool_a', 'call_a')
    expect(first).toBe('call_a')
    expect(second).toMatch(/^call_[a-zA-Z0-9]{9}$/)
    expect(idsOf('call_a', 'hist_tool_a')[0]).toBe('call_a')
  })

  it('never replace an illegal id by one that an earlier call keeps', () => {
    const kept = `call_${nineAlphanumerics('a b')}`
    const [first, second] = idsOf(kept, 'a b')
    expect(first).toBe(kept)
    expect(second).not.toBe(kept)
  })
})

describe('kimi ids', () => {
  const kimi = getToolIdStrategy('kimi')

  it('count from 0 over all calls of the conversation, whatever ids came in', () => {
    const contents = [
      ai(call('functions.read:7', 'read'), call('toolu_1', 'bash')),
      tool(response('toolu_1', 'bash'), response('functions.read:7', 'read')),
      ai(call('functions.read:7', 'read')),
      tool(response('functions.read:7', 'read')),
    ]
    expect(mappedIds(kimi, contents)).toEqual([
      'functions.read:0',
      'functions.bash:1',
      'functions.bash:1',
      'functions.read:0',
      'functions.read:2',
      'functions.read:2',
    ])
  })

  it('of a response carry the name of its call', () => {
    expect(mappedIds(kimi, [ai(call('a', 'read')), tool(response('a', ''))])[1]).toBe('functions.read:0')
  })

  it('of a response without a call take the next number at its place, with its tool name', () => {
    const contents = [ai(call('a', 'read')), tool(response('lost', 'bash')), ai(call('b', 'read'))]
    expect(mappedIds(kimi, contents)).toEqual(['functions.read:0', 'functions.bash:1', 'functions.read:2'])
  })

  it('say unknown where neither call nor response names the tool', () => {
    expect(mappedIds(kimi, [tool(response('lost', ''))])).toEqual(['functions.unknown:0'])
  })
})

describe('mistral ids', () => {
  const mistral = getToolIdStrategy('mistral')

  it('pass unchanged when they are nine letters and digits', () => {
    expect(mappedIds(mistral, [ai(call('Ab3dE6gH9'), call('000000000'))])).toEqual(['Ab3dE6gH9', '000000000'])
  })

  it.each(['call_abc', 'abcdefgh', 'abcdefghij', 'abcd-fghi', ''])(
    'replace "%s" by nine letters and digits',
    (id) => {
      const [made, answer] = mappedIds(mistral, [ai(call(id)), tool(response(id))])
      expect(made).toMatch(/^[a-zA-Z0-9]{9}$/)
      expect(made).not.toBe(id)
      expect(answer).toBe(made)
    },
  )

  it('never repeat, not even where an id kept earlier is the one that would be made', () => {
    const ids = mappedIds(mistral, [ai(call(nineAlphanumerics('call_a')), call('call_a'), call('call_a'))])
    expect(ids[0]).toBe(nineAlphanumerics('call_a'))
    expect(new Set(ids).size).toBe(3)
  })
})

describe('anthropic ids', () => {
  const anthropic = getToolIdStrategy('anthropic')
  const idsOf = (...ids: string[]): string[] => mappedIds(anthropic, [ai(...ids.map((id) => call(id)))])

  it('pass unchanged when they begin with toolu_ and are legal', () => {
    expect(idsOf('toolu_01AbC', 'toolu_kimi_x-1')).toEqual(['toolu_01AbC', 'toolu_kimi_x-1'])
  })

  it('turn hist_tool_ into toolu_', () => {
    expect(idsOf('hist_tool_abc')).toEqual(['toolu_abc'])
  })

  it.each(['call_abc', 'functions.get_weather:0', 'toolu_', 'toolu_a.b', `toolu_${'x'.repeat(64)}`, ''])(
    'replace "%s" by an id that begins with toolu_',
    (id) => {
      expect(idsOf(id)).toEqual([`toolu_${nineAlphanumerics(id)}`])
    },
  )
})
