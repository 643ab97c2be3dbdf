import { describe, expect, it } from 'vitest'
import { responsesRequests } from '../../../src/dialects/openai-responses/request/index.ts'
import { notedFields } from '../../request/translation.ts'
import { decoded, fromChat, toAnthropic, toChat, toOpenAi, toPlain, toResponses } from './requests.ts'

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

  it('and how reasoning is shown are two things', () => {
    const { request } = decoded({ reasoning: { summary: 'auto' } })
    expect(request.reasoning).toBeUndefined()
    expect(request.reasoningSummary).toBe('auto')
    expect(toChat({ reasoning: { summary: 'auto' } }).notes).toEqual([])
    expect(notedFields(toChat({ reasoning: { context: 'x' } }).notes)).toEqual(['dropped reasoning.context'])
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
