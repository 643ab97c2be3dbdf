import { describe, expect, it } from 'vitest'
import { makeCompaction } from '../../../src/dialects/openai-responses/request/compaction.ts'
import { makeSignature, readSignature } from '../../../src/request/reasoning-signature.ts'
import { valueAt } from '../../request/translation.ts'
import { decoded, fromChat, toAnthropic, toChat, toOpenAi, toPlain, toResponses } from './requests.ts'

const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }
const spoken = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'yes' }] }
const kimi = { format: 'kimi', field: 'reasoning_content', model: 'k' } as const
const toKimi = { model: 'k', format: 'kimi' } as const
// Trailing space, quotes and letters outside of ASCII: what a template would show the model differently.
const thought = ' Let me "think" – 思考 😀\n\n'

const reasoning = (fields: object): object => ({ type: 'reasoning', id: 'rs_1', summary: [], ...fields })
const inChat = (item: object, target = {}): unknown =>
  valueAt(toChat({ input: [user, item, spoken] }, target).items, 1, 'reasoning_content')

describe('reasoning with an envelope of ours', () => {
  const item = reasoning({
    summary: [{ type: 'summary_text', text: thought }],
    encrypted_content: makeSignature(kimi),
  })

  it('goes back to its family exactly, in the field that it came in', () => {
    expect(inChat(item, toKimi)).toBe(thought)
    const other = reasoning({
      summary: [{ type: 'summary_text', text: thought }],
      encrypted_content: makeSignature({ ...kimi, field: 'reasoning' }),
    })
    expect(valueAt(toChat({ input: [user, other, spoken] }, toKimi).items, 1, 'reasoning')).toBe(thought)
  })

  it('goes to no other family, and to no vendor', () => {
    expect(inChat(item, { model: 'q', format: 'qwen' })).toBeUndefined()
    expect(toOpenAi({ input: [user, item, spoken] }).items).toEqual([user, spoken])
  })

  it('is text to a server of the same dialect that runs the family', () => {
    expect(toPlain({ input: [user, item, spoken] }, toKimi).items[1]).toEqual({
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      content: [{ type: 'reasoning_text', text: thought }],
    })
  })

  it('is whole in the envelope alone, where the client was shown none', () => {
    const sealed = makeSignature({ ...kimi, text: thought })
    expect(sealed).toMatch(/^dragoman_2_[\w-]+$/)
    expect(readSignature(sealed)).toEqual({ ...kimi, text: thought })
    for (const content of [null, undefined, []]) {
      expect(inChat(reasoning({ content, encrypted_content: sealed }), toKimi)).toBe(thought)
    }
  })

  it('brings the proof back to the upstream that gave it', () => {
    const proved = { format: 'standard', field: 'summary', model: 'upstream-model', proof: 'gAAAAx' } as const
    const own = reasoning({
      summary: [{ type: 'summary_text', text: 'short' }],
      encrypted_content: makeSignature(proved),
    })
    expect(toOpenAi({ input: [user, own, spoken] }).items[1]).toEqual({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'short' }],
      encrypted_content: 'gAAAAx',
    })
  })

  it('that is damaged is dropped, and the conversation goes on', () => {
    const broken = reasoning({ encrypted_content: `${makeSignature(kimi)}x`, summary: [] })
    for (const written of [toChat, toAnthropic, toOpenAi, toPlain, toResponses]) {
      const { items } = written({ input: [user, broken, spoken] })
      expect(items).toHaveLength(2)
      expect(JSON.stringify(items)).not.toContain('dragoman_')
    }
  })
})

describe("a vendor's own reasoning", () => {
  const item = reasoning({ encrypted_content: `gAAAAAB${'x'.repeat(80)}` })

  it('goes back to it untouched', () => {
    expect(toOpenAi({ input: [user, item, spoken] }).items[1]).toEqual(item)
    expect(toResponses({ input: [user, item, spoken] }).items[1]).toEqual(item)
  })

  it('goes nowhere else', () => {
    for (const written of [toChat, toAnthropic, toPlain]) {
      expect(JSON.stringify(written({ input: [user, item, spoken] }).items)).not.toContain('gAAAA')
    }
  })

  it('of Anthropic, in an item, goes back to Anthropic alone', () => {
    const signature = `E${'q'.repeat(60)}`
    const signed = reasoning({
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: signature,
    })
    const input = [user, signed, spoken]
    expect(valueAt(toAnthropic({ input }).items, 1, 'content', 0)).toEqual({
      type: 'thinking',
      thinking: 'hm',
      signature,
    })
    for (const written of [toChat, toOpenAi, toPlain, toResponses]) {
      expect(JSON.stringify(written({ input }).items)).not.toContain(signature)
    }
  })
})

describe('reasoning that nobody signed', () => {
  it('is read from its content, else from its summary', () => {
    const summary = [
      { type: 'summary_text', text: 'a' },
      { type: 'summary_text', text: 'b' },
    ]
    expect(inChat(reasoning({ summary }))).toBe('a\n\nb')
    expect(inChat(reasoning({ summary, content: [{ type: 'reasoning_text', text: 'whole' }] }))).toBe('whole')
    expect(inChat(reasoning({ content: null, encrypted_content: null }))).toBeUndefined()
  })

  it('of a chat client is text to a plain server', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'yes', reasoning_content: 'hm' },
      { role: 'user', content: 'go on' },
    ]
    expect(fromChat({ messages }, { format: 'qwen' }).items).toEqual([
      user,
      {
        type: 'reasoning',
        id: 'rs_2',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'hm' }],
      },
      {
        type: 'message',
        id: 'msg_3',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'yes', annotations: [] }],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
    ])
  })
})

describe('a summary in place of a conversation', () => {
  it('of ours is text of the user', () => {
    const item = { type: 'compaction', encrypted_content: makeCompaction('We built a bridge – 橋.') }
    expect(JSON.stringify(toChat({ input: [item, user] }).items)).toContain('We built a bridge – 橋.')
    expect(decoded({ input: [item] }).request.contents).toMatchObject([{ speaker: 'human' }])
  })

  it('is asked for in words and without tools, whoever the upstream is', () => {
    const trigger = { type: 'compaction_trigger' }
    const tools = [{ type: 'function', name: 'run', parameters: { type: 'object', properties: {} } }]
    const fields = { input: [user, spoken, trigger], tools, tool_choice: 'auto' }
    expect(decoded(fields).request).toMatchObject({
      compacts: { gets: 'item' },
      tools: [],
      toolChoice: { type: 'none' },
    })
    expect(decoded({ input: [user] }).request).not.toHaveProperty('compacts')
    expect(toChat(fields).items.at(-1)).toMatchObject({
      role: 'user',
      content: expect.stringContaining('summary'),
    })
    expect(toOpenAi(fields).items).toEqual([
      user,
      spoken,
      expect.objectContaining({ role: 'user', content: expect.anything() }),
    ])
  })

  it('of somebody else is dropped with a note, or goes back to who may read it', () => {
    const item = { type: 'compaction', encrypted_content: 'gAAAAx' }
    const { items, notes } = toChat({ input: [item, user] })
    expect(items).toEqual([{ role: 'user', content: 'hi' }])
    expect(notes.map(({ reason }) => reason)).toEqual([expect.stringContaining('compaction')])
    expect(toOpenAi({ input: [item, user] }).items).toEqual([item, user])
  })
})
