import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatIds } from '../../src/formats/format-id.ts'
import { decodeHistory } from '../../src/dialects/history.ts'
import { mintToolId } from '../../src/dialects/mint.ts'
import { formatOfCallId, formatTagOf } from '../../src/ids/mint.ts'

const dialects = ['anthropic-messages', 'openai-chat'] as const

function inTurn(...ids: string[]): () => string {
  let at = 0
  return () => ids[at++] ?? `spent${at}`
}

describe('minting a tool id', () => {
  it('writes the prefix of the dialect, the tag of the format and the random part', () => {
    const options = { format: 'kimi', newId: () => '7Yq2' } as const
    expect(mintToolId({ dialect: 'anthropic-messages', ...options })).toBe('toolu_kimi_7Yq2')
    expect(mintToolId({ dialect: 'openai-chat', ...options })).toBe('call_kimi_7Yq2')
  })

  it('writes std for structured calls, and a format name without its hyphen', () => {
    const formats = ['std', 'standard', 'gpt-oss'] as const
    const ids = formats.map((format) => mintToolId({ dialect: 'openai-chat', format, newId: () => 'x' }))
    expect(ids).toEqual(['call_std_x', 'call_std_x', 'call_gptoss_x'])
  })

  it('leaves out characters that are not legal in an id', () => {
    expect(mintToolId({ dialect: 'openai-chat', format: 'glm', newId: () => 'a.b:c d_é-1' })).toBe(
      'call_glm_abcd_-1',
    )
  })

  it('keeps the end of a random part that is too long', () => {
    const id = mintToolId({
      dialect: 'anthropic-messages',
      format: 'kimi',
      newId: () => `${'0'.repeat(60)}17`,
    })
    expect(id).toBe(`toolu_kimi_${'0'.repeat(27)}17`)
  })

  it('asks again when the id is taken, whether a set or a function says so', () => {
    const options = { dialect: 'openai-chat', format: 'qwen' } as const
    const taken = new Set(['call_qwen_a', 'call_qwen_b'])
    expect(mintToolId({ ...options, newId: inTurn('a', 'b', 'c'), taken })).toBe('call_qwen_c')
    expect(mintToolId({ ...options, newId: inTurn('a', 'b', 'c'), taken: (id) => taken.has(id) })).toBe(
      'call_qwen_c',
    )
  })

  it('asks again when nothing legal was left of the random part', () => {
    expect(mintToolId({ dialect: 'openai-chat', format: 'qwen', newId: inTurn('', '::', 'c') })).toBe(
      'call_qwen_c',
    )
  })

  it.each(['same', '', 'x'.repeat(100)])(
    'still ends with fresh ids when newId always gives "%s"',
    (constant) => {
      const taken = new Set<string>()
      for (let count = 0; count < 200; count++) {
        const id = mintToolId({ dialect: 'openai-chat', format: 'kimi', newId: () => constant, taken })
        expect(id).toMatch(/^call_kimi_[a-zA-Z0-9_-]{1,30}$/)
        taken.add(id)
      }
      expect(taken.size).toBe(200)
    },
  )

  it('is legal, short and readable for every format, whatever newId gives', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...dialects),
        fc.constantFrom('std' as const, ...formatIds),
        fc.string({ unit: 'binary', maxLength: 80 }),
        (dialect, format, random) => {
          const id = mintToolId({ dialect, format, newId: () => random })
          expect(id).toMatch(/^(toolu|call)_[a-zA-Z0-9_-]+$/)
          expect(id.length).toBeLessThanOrEqual(40)
          expect(formatTagOf(id)).toBe(format === 'standard' ? 'std' : format)
        },
      ),
    )
  })

  it('leaves at least twenty characters to the random part in every format', () => {
    for (const format of formatIds) {
      const id = mintToolId({ dialect: 'anthropic-messages', format, newId: () => 'r'.repeat(64) })
      expect(id).toMatch(/_r{20,}$/)
    }
  })
})

describe('reading the tag of an id', () => {
  it('finds the format that a minted id names', () => {
    expect(formatTagOf('toolu_kimi_7Yq2')).toBe('kimi')
    expect(formatTagOf('call_gptoss_7Yq2')).toBe('gpt-oss')
    expect(formatTagOf('call_std_7Yq2')).toBe('std')
    expect(formatTagOf('hist_tool_kimi_7Yq2')).toBe('kimi')
  })

  it.each([
    'toolu_01AbC',
    'toolu_bdrk_01AbC',
    'call_abc',
    'call_kimi',
    'call_kimi_',
    'call_constructor_x',
    'call_standard_x',
    'functions.kimi_x:0',
    'kimi_x',
    '',
  ])('finds none in "%s"', (id) => {
    expect(formatTagOf(id)).toBeNull()
  })
})

describe('what the id of a call tells', () => {
  it('is the tag of a minted one, or the family whose models write such ids', () => {
    expect(formatOfCallId('toolu_kimi_7Yq2')).toBe('kimi')
    expect(formatOfCallId('call_std_7Yq2')).toBe('std')
    expect(formatOfCallId('functions.get_weather:0')).toBe('kimi')
    expect(formatOfCallId('functions.mcp__files-read:12')).toBe('kimi')
  })

  it.each(['functions.get_weather', 'get_weather:0', 'functions.:0', 'functions.a b:0', 'call_abc', ''])(
    'is nothing for "%s"',
    (id) => {
      expect(formatOfCallId(id)).toBeNull()
    },
  )

  it('is kept in a history that belongs to no provider', () => {
    const id = 'functions.get_weather:0'
    const call = { id, type: 'function', function: { name: 'get_weather', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call, call] },
    ]
    const decoded = decodeHistory('openai-chat', { messages })
    if ('error' in decoded) throw new Error(decoded.error.message)
    const ids = decoded.history.contents.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
    )
    expect(new Set(ids).size).toBe(2)
    for (const kept of ids) {
      expect(kept).toMatch(/^hist_tool_kimi_[a-zA-Z0-9]+$/)
      expect(formatOfCallId(kept)).toBe('kimi')
    }
  })
})
