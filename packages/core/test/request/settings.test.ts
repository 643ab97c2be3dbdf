import { describe, expect, it } from 'vitest'
import { serverById, takesOf } from '../../src/servers/registry.ts'
import {
  anthropicToAnthropic,
  anthropicToChat,
  chatToAnthropic,
  chatToChat,
  notedFields,
} from './translation.ts'

function userOf(user_id: string): unknown {
  return anthropicToChat({ metadata: { user_id } }).body['user']
}

describe('settings from Messages to Chat', () => {
  it('the model is the upstream’s', () => {
    expect(anthropicToChat({ model: 'claude-opus' }).body['model']).toBe('upstream-model')
  })

  it('the limit goes into the field that the upstream knows, and not above what it can write', () => {
    expect(anthropicToChat({ max_tokens: 32000 }).body).toMatchObject({ max_tokens: 32000 })
    const { body, notes } = anthropicToChat(
      { max_tokens: 32000 },
      { maxTokensField: 'max_completion_tokens', maxOutputTokens: 8192 },
    )
    expect(body).toMatchObject({ max_completion_tokens: 8192 })
    expect(body).not.toHaveProperty('max_tokens')
    expect(notedFields(notes)).toEqual(['changed max_tokens'])
  })

  it('all stop sequences go, unless the upstream takes fewer: then the others are noted', () => {
    const stops = { stop_sequences: ['1', '2', '3', '4', '5'] }
    expect(anthropicToChat(stops).body['stop']).toEqual(['1', '2', '3', '4', '5'])
    const { body, notes } = anthropicToChat(stops, { mostStops: 4 })
    expect(body['stop']).toEqual(['1', '2', '3', '4'])
    expect(notedFields(notes)).toEqual(['dropped stop_sequences'])
  })

  it('sampling goes where it is taken', () => {
    const sampling = { temperature: 0.5, top_p: 0.9, top_k: 40 }
    expect(anthropicToChat(sampling, { topK: true }).body).toMatchObject(sampling)
    expect(anthropicToChat(sampling).body).not.toHaveProperty('top_k')
    const fixed = anthropicToChat(sampling, { fixedSampling: true })
    expect(notedFields(fixed.notes)).toEqual(['dropped temperature', 'dropped top_p', 'dropped top_k'])
    expect(Object.keys(fixed.body)).not.toContain('temperature')
  })

  it('a short user id is the user, a long one a digest that tells users apart', () => {
    expect(userOf('u-1')).toBe('u-1')
    const long = JSON.stringify({ device: 'x'.repeat(80), session: 'a' })
    expect(userOf(long)).toMatch(/^user_[a-zA-Z0-9]{9}$/)
    expect(userOf(long)).toBe(userOf(long))
    expect(userOf(long)).not.toBe(userOf(long.replace('"a"', '"b"')))
  })

  it('thinking is an effort where model and server know one: the one asked for, or one after the budget', () => {
    const wishes = [
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
      { thinking: { type: 'enabled', budget_tokens: 8000 } },
      { thinking: { type: 'enabled', budget_tokens: 31999 } },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
      { output_config: { effort: 'max' } },
      { thinking: { type: 'adaptive' } },
      { thinking: { type: 'disabled' } },
      {},
    ]
    const vllm = takesOf(serverById('vllm'), 'gpt-oss-120b')
    const efforts = wishes.map(
      (fields) => anthropicToChat(fields, { ...vllm, model: 'gpt-oss-120b' }).body['reasoning_effort'],
    )
    expect(efforts).toEqual(['low', 'medium', 'high', 'medium', 'high', undefined, 'low', undefined])
  })

  it('an upstream that nothing is known of is told nothing about thinking, and that is noted', () => {
    for (const thinking of [{ type: 'enabled', budget_tokens: 8000 }, { type: 'disabled' }]) {
      const { body, notes } = anthropicToChat({ thinking, output_config: { effort: 'high' } })
      expect(Object.keys(body).toSorted()).toEqual(['max_tokens', 'messages', 'model'])
      expect(notedFields(notes)).toEqual(['dropped thinking'])
    }
  })

  it('streaming asks for usage, unless the upstream refuses that', () => {
    expect(anthropicToChat({ stream: true }).body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(anthropicToChat({ stream: true }, { streamUsage: false }).body).not.toHaveProperty(
      'stream_options',
    )
    expect(anthropicToChat({}).body).not.toHaveProperty('stream')
  })

  it('fields that only Anthropic knows, or nobody, are accepted, left out and noted', () => {
    const { body, notes } = anthropicToChat({
      context_management: { edits: [] },
      container: 'c',
      mcp_servers: [],
      service_tier: 'auto',
      thinking: { type: 'adaptive', display: 'omitted' },
      output_config: { effort: 'high', verbosity: 1 },
      never_seen: { deep: [1] },
    })
    expect(Object.keys(body).toSorted()).toEqual(['max_tokens', 'messages', 'model'])
    expect(notedFields(notes).toSorted()).toEqual([
      'dropped container',
      'dropped context_management',
      'dropped mcp_servers',
      'dropped never_seen',
      'dropped output_config.verbosity',
      'dropped service_tier',
      'dropped thinking',
      'dropped thinking.display',
    ])
  })

  it('a thinking type that we do not know is accepted', () => {
    const { body, notes } = anthropicToChat({ thinking: { type: 'dreaming' } })
    expect(body).not.toHaveProperty('reasoning_effort')
    expect(notedFields(notes)).toEqual(['dropped thinking.type'])
  })

  it('a schema for the answer goes both ways, closed for Anthropic', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const closed = { ...schema, additionalProperties: false }
    const { body } = anthropicToChat({ output_config: { format: { type: 'json_schema', schema } } })
    expect(body['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'answer', schema } })
    const back = chatToAnthropic({
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    })
    expect(back.body['output_config']).toEqual({ format: { type: 'json_schema', schema: closed } })
  })
})

describe('settings from Chat to Messages', () => {
  it('every spelling of the limit is max_tokens, and there always is one', () => {
    expect(chatToAnthropic({ max_tokens: 10 }).body['max_tokens']).toBe(10)
    const { body, notes } = chatToAnthropic({ max_completion_tokens: 20 })
    expect(body['max_tokens']).toBe(20)
    expect(notes).toEqual([])
    expect(chatToAnthropic({}, { defaultMaxTokens: 4096 }).body['max_tokens']).toBe(4096)
    expect(chatToAnthropic({}).body['max_tokens']).toBe(8192)
  })

  it('one stop or several are stop sequences', () => {
    expect(chatToAnthropic({ stop: 'x' }).body['stop_sequences']).toEqual(['x'])
    expect(chatToAnthropic({ stop: ['x', '\n'] }).body['stop_sequences']).toEqual(['x'])
    expect(chatToAnthropic({ stop: null }).body).not.toHaveProperty('stop_sequences')
  })

  it('a temperature above 1 is 1', () => {
    const { body, notes } = chatToAnthropic({ temperature: 1.5 })
    expect(body['temperature']).toBe(1)
    expect(notedFields(notes)).toContain('changed temperature')
  })

  it('what has no place there is noted', () => {
    const { body, notes } = chatToAnthropic({
      max_tokens: 5,
      seed: 1,
      logprobs: true,
      n: 2,
      thinking: { type: 'enabled', keep: 'all' },
      response_format: { type: 'json_object' },
    })
    expect(Object.keys(body).toSorted()).toEqual(['max_tokens', 'messages', 'model'])
    expect(notedFields(notes).toSorted()).toEqual([
      'dropped logprobs',
      'dropped n',
      'dropped response_format',
      'dropped seed',
      'dropped thinking.keep',
      'dropped thinking.type',
    ])
  })

  it('an effort is thinking with a budget and with room for the answer', () => {
    const { body } = chatToAnthropic({ reasoning_effort: 'high', temperature: 0.2 })
    expect(body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 24576 }, max_tokens: 32768 })
    expect(body).not.toHaveProperty('temperature')
    expect(chatToAnthropic({ reasoning_effort: 'high', temperature: 1 }).body['temperature']).toBe(1)
    expect(chatToAnthropic({ reasoning_effort: 'none' }).body).not.toHaveProperty('output_config')
  })

  it('sampling that Anthropic refuses beside thinking is dropped', () => {
    const { body, notes } = chatToAnthropic({ reasoning_effort: 'high', temperature: 0.2, top_p: 0.5 })
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('top_p')
    expect(notedFields(notes)).toEqual(expect.arrayContaining(['dropped temperature', 'dropped top_p']))
    expect(chatToAnthropic({ reasoning_effort: 'high', top_p: 0.98 }).body).toMatchObject({ top_p: 0.98 })
  })

  it('no thinking is asked for where Anthropic would refuse it', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const forced = chatToAnthropic({ reasoning_effort: 'low', tools, tool_choice: 'required' })
    expect(forced.body).not.toHaveProperty('thinking')
    expect(notedFields(forced.notes)).toContain('dropped thinking')
    expect(chatToAnthropic({ reasoning_effort: 'low', max_tokens: 500 }).body).not.toHaveProperty('thinking')
  })
})

describe('settings between two sides of one dialect', () => {
  it('Chat keeps its own words and fields', () => {
    const fields = {
      max_completion_tokens: 7,
      reasoning_effort: 'minimal',
      user: 'u'.repeat(70),
      top_k: 3,
      seed: 1,
      thinking: { type: 'enabled', keep: 'all' },
      response_format: { type: 'json_schema', json_schema: { name: 'x', description: 'd', schema: {} } },
    }
    const { body, notes } = chatToChat(fields)
    expect(body).toEqual({ model: 'upstream-model', messages: [{ role: 'user', content: 'hi' }], ...fields })
    expect(notes).toEqual([])
  })

  it('Anthropic keeps its own', () => {
    const fields = {
      thinking: { type: 'enabled', budget_tokens: 2000, display: 'omitted' },
      output_config: { effort: 'xhigh', verbosity: 1 },
      metadata: { user_id: 'u', team: 't' },
      context_management: { edits: [] },
    }
    expect(anthropicToAnthropic(fields).body).toMatchObject(fields)
  })

  it('a list of allowed fields holds back all others', () => {
    const { body, notes } = chatToChat({ seed: 1, provider: { only: ['x'] } }, { allowedFields: ['seed'] })
    expect(body['seed']).toBe(1)
    expect(body).not.toHaveProperty('provider')
    expect(notedFields(notes)).toEqual(['dropped provider'])
  })
})
