import { describe, expect, it } from 'vitest'
import { decodeResponsesRequest } from '../../../src/dialects/openai-responses/request/decode.ts'
import { responsesRequests } from '../../../src/dialects/openai-responses/request/index.ts'
import { errorIn, notedFields } from '../../request/translation.ts'
import {
  decoded,
  fromChat,
  responsesBody,
  toAnthropic,
  toChat,
  toOpenAi,
  toPlain,
  toResponses,
} from './requests.ts'

describe('the format of an answer', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } }
  const described = { type: 'json_schema', name: 'n', schema, strict: true, description: 'd' }

  it('is said in each way that an upstream knows', () => {
    expect(toChat({ text: { format: { type: 'text' } } }).body['response_format']).toEqual({ type: 'text' })
    expect(toChat({ text: { format: { type: 'json_object' } } }).body['response_format']).toEqual({
      type: 'json_object',
    })
    expect(toChat({ text: { format: described } }).body['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'n', schema, strict: true },
    })
    const own = toOpenAi({ text: { format: described, verbosity: 'low' } }).body['text']
    expect(own).toEqual({ format: described, verbosity: 'low' })
    const chat = { type: 'json_schema', json_schema: { name: 'n', schema } }
    expect(fromChat({ response_format: chat }).body['text']).toEqual({
      format: { type: 'json_schema', name: 'n', schema, strict: false },
    })
  })

  it('how many words it shall have is noted where nobody asks for that', () => {
    expect(notedFields(toChat({ text: { verbosity: 'low' } }).notes)).toEqual(['dropped text.verbosity'])
  })
})

describe('the effort', () => {
  it('of each word reaches an upstream that knows words', () => {
    for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']) {
      expect(decoded({ reasoning: { effort } }).request.reasoning).toEqual({ mode: 'on', effort })
      expect(toOpenAi({ reasoning: { effort, summary: 'auto' } }).body['reasoning']).toEqual({
        effort,
        summary: 'auto',
      })
    }
    expect(decoded({ reasoning: { effort: 'none' } }).request.reasoning).toMatchObject({ mode: 'off' })
    expect(toOpenAi({ reasoning: { effort: 'none' } }).body['reasoning']).toEqual({ effort: 'none' })
  })

  it('is said as the server of the model understands it', () => {
    const ways = { effort: { field: 'reasoning.effort', words: ['low', 'high'], readBy: 'server' } } as const
    const target = { responsesThinking: ways, thinks: true }
    const { body, notes } = toPlain({ reasoning: { effort: 'minimal' } }, target)
    expect(body['reasoning']).toEqual({ effort: 'low' })
    expect(notedFields(notes)).toEqual(['changed reasoning'])
    const { body: unknown, notes: told } = fromChat({ reasoning_effort: 'low' })
    expect(unknown).not.toHaveProperty('reasoning')
    expect(notedFields(told)).toEqual(['dropped reasoning'])
  })

  it('is the last that an item of the conversation names', () => {
    const input = [
      { role: 'user', content: 'hi' },
      { type: 'configuration_update', reasoning: { effort: 'low' } },
      { type: 'configuration_update', reasoning: { effort: 'high' } },
    ]
    const { request, notes } = decoded({ input, reasoning: { effort: 'medium' } })
    expect(request.reasoning).toEqual({ mode: 'on', effort: 'high' })
    expect(notes).toEqual([])
  })

  it('and how reasoning is shown are two things', () => {
    const { request } = decoded({ reasoning: { summary: 'auto' } })
    expect(request.reasoning).toBeUndefined()
    expect(request.reasoningSummary).toBe('auto')
    expect(toChat({ reasoning: { summary: 'auto' } }).notes).toEqual([])
    expect(notedFields(toChat({ reasoning: { context: 'x' } }).notes)).toEqual(['dropped reasoning.context'])
  })
})

describe('what a server would have kept', () => {
  it('is refused by name, whoever the upstream is', () => {
    expect(refused({ previous_response_id: 'resp_1' })).toMatchObject({
      field: 'previous_response_id',
      code: 'previous_response_not_found',
    })
    expect(refused({ conversation: 'conv_1' })).toMatchObject({ field: 'conversation' })
    expect(refused({ prompt: { id: 'p' } })).toMatchObject({ field: 'prompt' })
    expect(refused({ background: true })).toMatchObject({ field: 'background' })
  })

  it('is not meant by a field that is empty, or by the wish to keep the answer', () => {
    const fields = {
      previous_response_id: null,
      conversation: null,
      prompt: null,
      background: false,
      store: true,
    }
    const { request, notes } = decoded(fields)
    expect(request.extra).toEqual({})
    expect(notes).toEqual([])
    expect(toOpenAi(fields).body).toMatchObject({ store: false })
    expect(toPlain(fields).body).not.toHaveProperty('store')
    expect(toChat(fields).body).not.toHaveProperty('store')
  })
})

describe('what a client tells of its user', () => {
  it('its metadata reaches no upstream, of whatever dialect', () => {
    const client_metadata = { 'x-codex-turn-metadata': 'git@secret' }
    for (const written of [toChat, toAnthropic, toOpenAi, toPlain, toResponses]) {
      const { body, notes } = written({ client_metadata })
      expect(JSON.stringify(body)).not.toContain('secret')
      expect(notedFields(notes)).toContain('dropped client_metadata')
    }
    expect(decoded({ client_metadata }).request.extra).toEqual({})
    expect(responsesRequests.passedFields).not.toContain('client_metadata')
  })

  it('its name goes on', () => {
    expect(toChat({ safety_identifier: 'u' }).body['user']).toBe('u')
    expect(toOpenAi({ safety_identifier: 'u' }).body).toMatchObject({ safety_identifier: 'u' })
    expect(toOpenAi({ safety_identifier: 'u' }).body).not.toHaveProperty('user')
  })
})

describe('the other settings', () => {
  it('are the same in every dialect', () => {
    const fields = {
      max_output_tokens: 5,
      temperature: 0.5,
      top_p: 0.9,
      stream: true,
      parallel_tool_calls: false,
    }
    const tools = [{ type: 'function', name: 'run', parameters: { type: 'object', properties: {} } }]
    expect(toChat({ ...fields, tools }).body).toMatchObject({
      max_tokens: 5,
      temperature: 0.5,
      top_p: 0.9,
      stream: true,
      parallel_tool_calls: false,
    })
    expect(toOpenAi({ ...fields, tools }).body).toMatchObject(fields)
    expect(responsesRequests.maxTokensIn(fields)).toBe(5)
  })

  it('reasoning is asked for in the form that comes back, of who has such a form', () => {
    const include = ['reasoning.encrypted_content', 'message.output_text.logprobs']
    expect(toOpenAi({ include }).body['include']).toEqual(include)
    expect(toOpenAi({}).body['include']).toEqual(['reasoning.encrypted_content'])
    expect(toPlain({}).body).not.toHaveProperty('include')
    expect(toChat({ include: ['reasoning.encrypted_content'] }).notes).toEqual([])
  })

  it('what the dialect has no field for is noted', () => {
    expect(notedFields(fromChat({ stop: ['x'] }).notes)).toEqual(['dropped stop'])
  })
})

function refused(fields: Record<string, unknown>): unknown {
  return errorIn(decodeResponsesRequest(responsesBody(fields)))
}
