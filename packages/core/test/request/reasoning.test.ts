import { describe, expect, it } from 'vitest'
import { makeSignature } from '../../src/request/reasoning-signature.ts'
import type { AnthropicTarget } from '../../src/request/target.ts'
import type { FormatId } from '../../src/formats/format-id.ts'
import { serverById, takesOf } from '../../src/servers/registry.ts'
import {
  anthropicToAnthropic,
  anthropicToChat,
  chatToAnthropic,
  chatToChat,
  notedFields,
} from './translation.ts'

type Fields = Record<string, unknown>

const user = { role: 'user', content: 'hi' }
const use = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }
const done = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] }
const anthropicSignature = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk='
const filler = 'The reasoning for this step was not kept.'

function ours(format: FormatId, field = 'reasoning_content', proof?: string): string {
  return makeSignature({ format, field, model: 'some-model', ...(proof === undefined ? {} : { proof }) })
}

/** The assistant message of a turn that thought and then called a tool. */
function thoughtful(
  thinking: Fields | null,
  target: { format: FormatId; foreignReasoning?: 'text' },
): Fields {
  const content = thinking === null ? [use] : [{ type: 'thinking', ...thinking }, use]
  const { messages } = anthropicToChat({ messages: [user, { role: 'assistant', content }, done] }, target)
  return messages[1] ?? {}
}

describe('reasoning that goes back to its own family', () => {
  it('is in the field that it came from, byte for byte', () => {
    const fields = ['reasoning_content', 'reasoning', 'reasoning_text'].map((field) => {
      const thinking = { thinking: ' a\n\u{1f600}', signature: ours('kimi', field) }
      return thoughtful(thinking, { format: 'kimi' })[field]
    })
    expect(fields).toEqual([' a\n\u{1f600}', ' a\n\u{1f600}', ' a\n\u{1f600}'])
  })

  it('is in its details, encrypted ones too', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'xyz', index: 0 }]
    const signature = ours('glm', 'reasoning_details', JSON.stringify(details))
    expect(thoughtful({ thinking: '', signature }, { format: 'glm' })['reasoning_details']).toEqual(details)
    const plain = thoughtful(
      { thinking: 'a', signature: ours('glm', 'reasoning_details') },
      { format: 'glm' },
    )
    expect(plain['reasoning_details']).toEqual([{ type: 'reasoning.text', text: 'a' }])
  })

  it('never overwrites another field, whatever a signature says', () => {
    const message = thoughtful({ thinking: 'a', signature: ours('kimi', 'role') }, { format: 'kimi' })
    expect(message).toMatchObject({ role: 'assistant', reasoning_content: 'a' })
  })

  it('goes to the same model also when the format was set anew', () => {
    const signature = makeSignature({ format: 'standard', field: 'reasoning', model: 'upstream-model' })
    expect(thoughtful({ thinking: 'a', signature }, { format: 'kimi' })).toMatchObject({ reasoning: 'a' })
  })

  it('of a model without a family is for that model alone', () => {
    const proof = JSON.stringify({ type: 'reasoning.text', signature: 'SIG' })
    const sources = ['upstream-model', 'another-model'].map((model) =>
      makeSignature({ format: 'standard', field: 'reasoning', model, proof }),
    )
    const [own, foreign] = sources.map((signature) =>
      thoughtful({ thinking: 'a', signature }, { format: 'standard' }),
    )
    expect(own).toMatchObject({ reasoning: 'a' })
    expect(foreign).not.toHaveProperty('reasoning')
    expect(foreign).not.toHaveProperty('reasoning_details')
  })

  it('without any signature is taken for the upstream’s own', () => {
    expect(thoughtful({ thinking: 'a' }, { format: 'qwen' })).toMatchObject({ reasoning_content: 'a' })
  })
})

describe('reasoning of another family', () => {
  it('is dropped, and noted', () => {
    const content = [{ type: 'thinking', thinking: 'secret', signature: ours('kimi') }, use]
    const { body, notes } = anthropicToChat(
      { messages: [user, { role: 'assistant', content }, done] },
      { format: 'qwen' },
    )
    expect(JSON.stringify(body)).not.toContain('secret')
    expect(notedFields(notes)).toEqual(['dropped messages'])
  })

  it('is text with a label where the policy says so', () => {
    const message = thoughtful(
      { thinking: 'a plan', signature: ours('kimi') },
      { format: 'qwen', foreignReasoning: 'text' },
    )
    expect(message['content']).toBe('<earlier-reasoning>\na plan\n</earlier-reasoning>\n\n')
    expect(message).not.toHaveProperty('reasoning_content')
  })

  it('that is proved to Anthropic goes nowhere else, in no form', () => {
    const formats = ['standard', 'kimi', 'deepseek', 'qwen'] as const
    const sent = formats.map((format) =>
      JSON.stringify(
        thoughtful(
          { thinking: 'secret', signature: anthropicSignature },
          { format, foreignReasoning: 'text' },
        ),
      ),
    )
    expect(sent.join()).not.toMatch(/secret|EqQB/)
  })

  it('that is redacted goes nowhere else', () => {
    const content = [
      { type: 'redacted_thinking', data: 'opaque' },
      { type: 'text', text: 'So.' },
    ]
    const { body } = anthropicToChat(
      { messages: [user, { role: 'assistant', content }, user] },
      { foreignReasoning: 'text' },
    )
    expect(JSON.stringify(body)).not.toContain('opaque')
  })

  it('that is redacted is left out where the upstream refuses it, and that is noted', () => {
    const redacted = { type: 'redacted_thinking', data: 'opaque' }
    const messages = [
      user,
      { role: 'assistant', content: [redacted, { type: 'text', text: 'So.' }] },
      user,
      { role: 'assistant', content: [redacted] },
      user,
    ]
    const sent = (target: Partial<AnthropicTarget>) =>
      anthropicToAnthropic({ messages }, { model: 'm', signatures: 'unchecked', ...target })
    expect(JSON.stringify(sent({}).body)).toContain('opaque')
    const { body, messages: shown, notes } = sent(takesOf(serverById('sglang'), 'm'))
    expect(JSON.stringify(body)).not.toContain('opaque')
    expect(shown.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(notedFields(notes)).toContain('dropped messages')
  })

  it('leaves no empty message behind', () => {
    const content = [{ type: 'thinking', thinking: 'a', signature: anthropicSignature }]
    const { messages } = anthropicToChat({ messages: [user, { role: 'assistant', content }, user] })
    expect(messages.map(({ role }) => role)).toEqual(['user'])
  })
})

describe('families that demand reasoning beside tool calls', () => {
  it('get a neutral filler where the client lost it', () => {
    expect(thoughtful(null, { format: 'kimi' })['reasoning_content']).toBe(filler)
    expect(thoughtful(null, { format: 'deepseek' })['reasoning_content']).toBe(filler)
    expect(thoughtful(null, { format: 'qwen' })).not.toHaveProperty('reasoning_content')
  })

  it('get it in place of another family’s too', () => {
    const message = thoughtful({ thinking: 'a', signature: anthropicSignature }, { format: 'kimi' })
    expect(message['reasoning_content']).toBe(filler)
  })

  it('get it from Chat clients that send no reasoning back', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'Bash', arguments: '{}' } }
    const { messages } = chatToChat(
      {
        messages: [
          user,
          { role: 'assistant', content: '', tool_calls: [call], reasoning_content: '' },
          { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
          { role: 'assistant', content: 'Done.' },
          user,
        ],
      },
      { format: 'kimi' },
    )
    expect(messages[1]).toMatchObject({ reasoning_content: filler })
    expect(messages[3]).toEqual({ role: 'assistant', content: 'Done.' })
  })
})

describe('reasoning towards Anthropic', () => {
  const own = { type: 'thinking', thinking: ' é ', signature: anthropicSignature, extra: 1 }
  const redacted = { type: 'redacted_thinking', data: 'opaque' }

  it('is kept byte for byte where it is Anthropic’s own', () => {
    const content = [own, redacted, use]
    const { messages } = anthropicToAnthropic({ messages: [user, { role: 'assistant', content }, done] })
    expect(messages[1]?.['content']).toEqual(content)
  })

  it('is removed where the signature is ours, is damaged or is missing', () => {
    const strange = [
      { type: 'thinking', thinking: 'a', signature: ours('kimi') },
      { type: 'thinking', thinking: 'b', signature: `${ours('kimi')}x` },
      { type: 'thinking', thinking: 'c' },
      { type: 'thinking', thinking: 'd', signature: '' },
    ]
    const { messages } = anthropicToAnthropic({
      messages: [user, { role: 'assistant', content: [...strange, own, use] }, done],
    })
    expect(messages[1]?.['content']).toEqual([own, use])
  })

  it('of Chat clients is removed, for it has no proof', () => {
    const { messages } = chatToAnthropic({
      messages: [user, { role: 'assistant', content: 'Hello.', reasoning_content: 'hm' }, user],
    })
    expect(messages[1]).toEqual({ role: 'assistant', content: 'Hello.' })
  })

  it('goes as a thinking block to an open model behind the same dialect', () => {
    const signature = ours('kimi')
    const content = [
      { type: 'thinking', thinking: 'a', signature },
      { type: 'thinking', thinking: 'b', signature: anthropicSignature },
      { type: 'text', text: 'So.' },
    ]
    const { messages } = anthropicToAnthropic(
      { messages: [user, { role: 'assistant', content }, user] },
      { format: 'kimi' },
    )
    expect(messages[1]?.['content']).toEqual([content[0], content[2]])
  })

  it.each(['', 'f3a1c0ffee', 'e'.repeat(64), undefined])(
    'goes back to an open model whose server signs with %j',
    (signature) => {
      const thinking = { type: 'enabled', budget_tokens: 2048 }
      const content = [
        { type: 'thinking', thinking: 'a', ...(signature === undefined ? {} : { signature }) },
        use,
      ]
      const { body, messages } = anthropicToAnthropic(
        { thinking, messages: [user, { role: 'assistant', content }, done] },
        { format: 'anthropic', signatures: 'unchecked' },
      )
      expect(messages[1]?.['content']).toMatchObject([{ thinking: 'a' }, use])
      expect(body['thinking']).toEqual(thinking)
    },
  )

  it('is not asked for in the middle of a turn that began without it', () => {
    const thinking = { type: 'enabled', budget_tokens: 2048 }
    const begun = (content: Fields[]): Fields =>
      anthropicToAnthropic({ thinking, messages: [user, { role: 'assistant', content }, done] }).body
    expect(begun([{ type: 'thinking', thinking: 'a', signature: ours('kimi') }, use])).not.toHaveProperty(
      'thinking',
    )
    expect(begun([own, use])['thinking']).toEqual(thinking)
  })
})

describe('reasoning between Chat and Chat', () => {
  it('keeps the fields that the client sent', () => {
    const fields = {
      reasoning: 'a',
      reasoning_details: [{ type: 'reasoning.text', text: 'a', signature: 's' }],
    }
    const { messages } = chatToChat({
      messages: [user, { role: 'assistant', content: 'Hello.', ...fields }, user],
    })
    expect(messages[1]).toEqual({ role: 'assistant', content: 'Hello.', ...fields })
  })
})

function turnOf(id: string): Fields[] {
  return [
    user,
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'I call.',
      tool_calls: [{ id, type: 'function', function: { name: 'Bash', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content: 'ok' },
    { role: 'assistant', content: 'Done.', reasoning_content: 'I conclude.' },
    user,
  ]
}

function reasoningFor(id: string, format: FormatId, foreignReasoning: 'drop' | 'text' = 'drop'): unknown[] {
  const { messages } = chatToChat({ messages: turnOf(id) }, { format, foreignReasoning })
  return messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content, reasoning_content: reasoning }) => reasoning ?? content)
}

describe('reasoning of Chat clients, which have no signatures', () => {
  it('is of the family that the id beside it names, to the end of the turn', () => {
    expect(reasoningFor('call_kimi_x1', 'kimi')).toEqual(['I call.', 'I conclude.'])
    expect(reasoningFor('call_kimi_x1', 'qwen')).toEqual([null, 'Done.'])
    expect(reasoningFor('call_kimi_x1', 'deepseek')).toEqual([filler, 'Done.'])
    expect(reasoningFor('call_kimi_x1', 'qwen', 'text')).toEqual([
      '<earlier-reasoning>\nI call.\n</earlier-reasoning>\n\n',
      '<earlier-reasoning>\nI conclude.\n</earlier-reasoning>\n\nDone.',
    ])
  })

  it('is anybody’s where the id says nothing, or names a format that many write', () => {
    for (const id of ['call_1', 'call_std_x1', 'call_hermes_x1']) {
      expect(reasoningFor(id, 'qwen')).toEqual(['I call.', 'I conclude.'])
    }
  })

  it('of a later turn is judged by that turn', () => {
    const later = { role: 'assistant', content: 'Hi.', reasoning_content: 'I greet.' }
    const { messages } = chatToChat(
      { messages: [...turnOf('call_kimi_x1'), later, user] },
      { format: 'qwen' },
    )
    expect(messages.at(-2)).toEqual(later)
  })
})
