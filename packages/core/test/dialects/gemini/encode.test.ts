import { describe, expect, it } from 'vitest'
import { decodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/decode.ts'
import { encodeGeminiRequest } from '../../../src/dialects/gemini/request/encode.ts'
import { geminiRequests } from '../../../src/dialects/gemini/request/index.ts'
import { geminiMessages } from '../../../src/dialects/gemini/request/messages.ts'
import { decodeChatRequest } from '../../../src/dialects/openai-chat/request/decode.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import { anthropicBody, chatBody, notedFields, readable, valueAt } from '../../request/translation.ts'
import { call, type Fields, model, response, through, user, written } from './requests.ts'

const wish = (request: ConversationRequest, to = 'gemini-2.5-flash'): unknown =>
  valueAt(written(request, { model: to }), 'generationConfig', 'thinkingConfig')

function anthropic(fields: Fields): ConversationRequest {
  return readable(decodeAnthropicRequest(anthropicBody(fields))).request
}

function chat(fields: Fields): ConversationRequest {
  return readable(decodeChatRequest(chatBody(fields))).request
}

const use = (id: string, name: string, input: Fields = {}): Fields => ({ type: 'tool_use', id, name, input })
const result = (id: string, content: unknown, more: Fields = {}): Fields => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})

describe('a conversation for Gemini', () => {
  it('has its instructions beside it, without the line for somebody’s billing', () => {
    const system = [
      { type: 'text', text: 'x-anthropic-billing-header: 1' },
      { type: 'text', text: 'Be brief.' },
    ]
    expect(written(anthropic({ system }))['systemInstruction']).toEqual({ parts: [{ text: 'Be brief.' }] })
  })

  it('shows media, and those of a result where the model takes them', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
    const inlineData = { mimeType: 'image/png', data: 'aGk=' }
    const messages = [
      {
        role: 'user',
        content: [image, { type: 'image', source: { type: 'url', url: 'https://example.com/a' } }],
      },
      { role: 'assistant', content: [use('toolu_1', 'f')] },
      { role: 'user', content: [result('toolu_1', [{ type: 'text', text: 'see' }, image])] },
    ]
    const told = { id: 'toolu_1', name: 'f', response: { output: 'see' } }
    const older = written(anthropic({ messages }), { model: 'gemini-2.5-pro' })
    expect(valueAt(older, 'contents', 0, 'parts')).toEqual([
      { inlineData },
      { fileData: { fileUri: 'https://example.com/a' } },
    ])
    expect(valueAt(older, 'contents', 2, 'parts')).toEqual([{ functionResponse: told }, { inlineData }])
    const newer = written(anthropic({ messages }), { model: 'gemini-3-pro-preview' })
    expect(valueAt(newer, 'contents', 2, 'parts')).toEqual([
      { functionResponse: { ...told, parts: [{ inlineData }] } },
    ])
    const blind = written(anthropic({ messages }), { model: 'gemini-3-pro-preview', images: false })
    expect(valueAt(blind, 'contents', 2, 'parts', 1)).toEqual({ text: '[image/png: not shown]' })
  })

  it('of a client of the dialect goes on as it came', () => {
    const fields = {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        user({ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'a-b_' } }),
        model(
          { text: 'b', thoughtSignature: 'c2ln' },
          { ...call('f', { x: 1 }), thoughtSignature: 'c2lnMg==' },
        ),
        user({ functionResponse: { name: 'f', response: { odd: true }, scheduling: 'SILENT' } }),
        model({ text: '', thoughtSignature: 'c2lnMw==' }),
        user({ text: 'c', videoMetadata: { fps: 1 } }),
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parameters: { type: 'OBJECT', nullable: true }, behavior: 'BLOCKING' },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED' }, retrievalConfig: { languageCode: 'de' } },
      generationConfig: {
        maxOutputTokens: 100,
        temperature: 1,
        stopSequences: ['x'],
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
        thinkingConfig: { thinkingLevel: 'low', includeThoughts: true, somethingNew: 1 },
        seed: 7,
      },
      safetySettings: [{ category: 'X', threshold: 'Y' }],
    }
    expect(through(fields)).toEqual(fields)
  })

  it('in which a call has no id gets none beside its response', () => {
    const contents = [
      user({ text: 'go' }),
      model({ ...call('f'), thoughtSignature: 'c2ln' }),
      user({ text: 'on' }),
    ]
    expect(valueAt(through({ contents }), 'contents', 2, 'parts', 0)).toEqual({
      functionResponse: { name: 'f', response: { output: 'The result of this call is not available.' } },
    })
  })

  it('has a response that is no object in one', () => {
    const contents = [user({ text: 'go' }), model(call('f', {}, 'a')), user(response('f', 'text', 'a'))]
    expect(valueAt(through({ contents }), 'contents', 2, 'parts', 0)).toEqual(
      response('f', { output: 'text' }, 'a'),
    )
  })

  it('of many contents in a row is one content for each role', () => {
    const contents = [user({ text: 'a' }), user({ text: 'b' }), model({ text: 'c' }), model({ text: 'd' })]
    expect(through({ contents })['contents']).toEqual([
      user({ text: 'a' }, { text: 'b' }),
      model({ text: 'c' }, { text: 'd' }),
    ])
  })
})

describe('tools and settings for Gemini', () => {
  const schema = { type: 'object', properties: { a: { type: ['string', 'null'], pattern: '^x' } } }
  const tools = [{ type: 'function', function: { name: 'f', description: 'Does.', parameters: schema } }]

  it('hold the schema as it is where JSON Schema is taken, else what the field for it knows', () => {
    expect(written(chat({ tools }))['tools']).toEqual([
      { functionDeclarations: [{ name: 'f', description: 'Does.', parametersJsonSchema: schema }] },
    ])
    expect(written(chat({ tools }), { schemas: 'openapi' })['tools']).toEqual([
      {
        functionDeclarations: [
          {
            name: 'f',
            description: 'Does.',
            parameters: {
              type: 'object',
              properties: { a: { type: 'string', nullable: true, pattern: '^x' } },
            },
          },
        ],
      },
    ])
  })

  it('choose among the tools that are offered', () => {
    const config = (tool_choice: unknown): unknown =>
      valueAt(written(chat({ tools, tool_choice })), 'toolConfig', 'functionCallingConfig')
    expect(config('auto')).toEqual({ mode: 'AUTO' })
    expect(config('none')).toEqual({ mode: 'NONE' })
    expect(config('required')).toEqual({ mode: 'ANY' })
    expect(config({ type: 'function', function: { name: 'f' } })).toEqual({
      mode: 'ANY',
      allowedFunctionNames: ['f'],
    })
    expect(config({ type: 'function', function: { name: 'g' } })).toBeUndefined()
    expect(written(chat({ tool_choice: 'required' }))['toolConfig']).toBeUndefined()
  })

  it('say the wish to think as a budget, and show the thoughts', () => {
    expect(wish(chat({ reasoning_effort: 'low' }))).toEqual({ thinkingBudget: 2048, includeThoughts: true })
    expect(wish(chat({ reasoning_effort: 'none' }))).toEqual({ thinkingBudget: 0 })
    expect(wish(chat({ reasoning_effort: 'none' }), 'gemini-2.5-pro')).toEqual({ thinkingBudget: 128 })
    const thinking = { type: 'enabled', budget_tokens: 2000 }
    expect(wish(anthropic({ thinking }))).toEqual({ thinkingBudget: 2000, includeThoughts: true })
    expect(wish(anthropic({ thinking: { type: 'adaptive' } }))).toEqual({
      thinkingBudget: -1,
      includeThoughts: true,
    })
    expect(wish(chat({}))).toBeUndefined()
  })

  it('are those of every dialect, and what has no place is noted', () => {
    const { body, notes } = encodeGeminiRequest(
      chat({
        max_tokens: 9,
        temperature: 1,
        top_p: 0.5,
        stop: ['1', '2', '3', '4', '5', '6'],
        user: 'me',
        seed: 1,
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      }),
      { model: 'gemini-x', format: 'standard' },
    )
    expect(body['generationConfig']).toEqual({
      maxOutputTokens: 9,
      temperature: 1,
      topP: 0.5,
      stopSequences: ['1', '2', '3', '4', '5'],
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    })
    expect(Object.keys(body)).toEqual(['contents', 'generationConfig'])
    expect(notedFields(notes)).toEqual(['dropped stop_sequences', 'dropped user', 'dropped seed'])
    expect(geminiRequests.maxTokensIn(body)).toBe(9)
    expect(geminiRequests.maxTokensIn({})).toBeUndefined()
  })
})

describe('where contents have the ids of calls', () => {
  const { places } = geminiMessages

  it('is in calls and responses; those without ids stay without', () => {
    const content = model({ text: 'x' }, call('f', {}, 'a'), call('g'))
    expect(places.isOfModel(content)).toBe(true)
    expect(places.blocksIn(content)).toEqual([{ type: 'tool_call', id: 'a', name: 'f', parameters: null }])
    expect(places.withIds(content, ['b'])).toEqual(model({ text: 'x' }, call('f', {}, 'b'), call('g')))
    const answer = user(response('f', {}, 'a'))
    expect(places.blocksIn(answer)).toMatchObject([{ type: 'tool_response', callId: 'a', toolName: 'f' }])
    expect(places.withIds(answer, ['b'])).toEqual(user(response('f', {}, 'b')))
    expect(places.withReasoning(content, 'hm')).toBe(content)
  })
})
