import { describe, expect, it } from 'vitest'
import { decodeGeminiRequest } from '../../../src/dialects/gemini/request/decode.ts'
import { anthropicToChat, errorIn, readable } from '../../request/translation.ts'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import {
  asked,
  call,
  conversation,
  config,
  fault,
  geminiBody,
  ids,
  model,
  notesTowardsChat,
  read,
  response,
  through,
  user,
} from './requests.ts'

function askedAt(path: string): { model: string; stream: boolean } {
  const { request } = readable(decodeGeminiRequest(geminiBody({}), { path, query: {} }))
  return { model: request.model, stream: request.stream }
}

describe('the address of a request', () => {
  it('names the model and the method in every version, with slashes and colons in the name', () => {
    expect(askedAt('/v1beta/models/kimi-k2:generateContent')).toEqual({ model: 'kimi-k2', stream: false })
    expect(askedAt('/v1/models/qwen3:8b:streamGenerateContent')).toEqual({ model: 'qwen3:8b', stream: true })
    expect(askedAt('/v1alpha/models/moonshotai/Kimi-K2:generateContent').model).toBe('moonshotai/Kimi-K2')
    expect(askedAt('/v1beta/models/moonshotai%2FKimi-K2:generateContent').model).toBe('moonshotai/Kimi-K2')
    expect(askedAt('/v1beta/models/accounts/fireworks/models/glm:generateContent').model).toBe(
      'accounts/fireworks/models/glm',
    )
    expect(askedAt('/v1beta/models/100%:countTokens').model).toBe('100%')
    expect(
      askedAt('/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:streamGenerateContent'),
    ).toEqual({ model: 'gemini-3-pro', stream: true })
  })

  it('is at fault where it has no method, or one that is not served', () => {
    for (const path of ['/v1beta/models/m:embedContent', '/v1beta/models/m', '/v1beta/m:generateContent']) {
      expect(errorIn(decodeGeminiRequest(geminiBody({}), { path, query: {} })).field).toBe('path')
    }
  })

  it('is not needed where the body names the model', () => {
    const { request } = readable(decodeGeminiRequest(geminiBody({ model: 'models/kimi' })))
    expect(request.model).toBe('kimi')
    expect(errorIn(decodeGeminiRequest(geminiBody({}))).field).toBe('model')
  })
})

describe('a question for the number of tokens', () => {
  it('has the contents, or the whole request in a field', () => {
    const inner = { model: 'models/m', ...geminiBody({ systemInstruction: 'Be brief.' }) }
    const whole = readable(decodeGeminiRequest({ generateContentRequest: inner }, asked)).request
    expect(whole.system).toEqual([{ text: 'Be brief.' }])
    expect(whole.contents).toEqual(read({}).request.contents)
    expect(whole.extra).toEqual({})
  })
})

describe('contents', () => {
  it('that cannot be read are named', () => {
    expect(fault({ contents: [] })).toBe('contents')
    expect(fault({ contents: 'hi' })).toBe('contents')
    expect(fault({ contents: [user({ text: '' })] })).toBe('contents')
    expect(fault({ contents: [{ role: 'wizard', parts: [] }] })).toBe('contents[0].role')
    expect(fault({ contents: [user(call('f'))] })).toBe('contents[0].parts[0]')
    expect(fault({ contents: [model(response('f', {}))] })).toBe('contents[0].parts[0]')
    expect(fault({ contents: [model({ functionCall: { name: 'f', args: [1] } })] })).toBe(
      'contents[0].parts[0].functionCall.args',
    )
    expect(fault({ contents: [{ role: 'user', parts: ['x'] }] })).toBe('contents[0].parts[0]')
  })

  it('hold media, and code that the server ran as text', () => {
    const [said] = conversation(
      user(
        { inlineData: { mimeType: 'image/png', data: 'a-b_', displayName: 'x.png' } },
        { fileData: { mimeType: 'video/mp4', fileUri: 'https://example.com/v.mp4' } },
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
      ),
    )
    expect(said?.blocks).toEqual([
      { type: 'media', mimeType: 'image/png', data: 'a+b/', encoding: 'base64', filename: 'x.png' },
      { type: 'media', mimeType: 'video/mp4', data: 'https://example.com/v.mp4', encoding: 'url' },
      { type: 'text', text: '\n```python\nprint(1)\n```\n' },
      { type: 'text', text: '\n```\n1\n```\n' },
    ])
  })

  it('whose parts mean nothing elsewhere go to Gemini alone, and are noted for others', () => {
    const stored = { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/x' } }
    const contents = [user({ text: 'see' }, stored, { toolCall: { toolType: 'X' } })]
    expect(through({ contents })['contents']).toEqual(contents)
    expect(notesTowardsChat({ contents })).toEqual(['dropped messages', 'dropped messages'])
  })
})

describe('the results of functions', () => {
  it('with and without ids do not take each other’s calls', () => {
    expect(
      ids(model(call('f', {}, 'a'), call('f')), user(response('f', {}), response('f', {}, 'a'))),
    ).toEqual(['call_0', 'a'])
    expect(ids(model(call('f', {}, 'call_0'), call('f')), user(response('f', {}, 'call_0')))).toEqual([
      'call_0',
    ])
  })

  it('with an id that no call has go by their name', () => {
    expect(ids(model(call('f')), user(response('f', {}, 'made-up')))).toEqual(['call_0'])
    expect(ids(model(call('f')), user(response('other', {}, 'made-up')))).toEqual(['made-up'])
  })
})

describe('settings', () => {
  it('are those of every dialect; what is of another kind is at fault', () => {
    const { request } = config({
      maxOutputTokens: 9,
      temperature: 1,
      topP: 0.95,
      topK: 64,
      stopSequences: ['x'],
    })
    expect(request).toMatchObject({
      maxTokens: 9,
      temperature: 1,
      topP: 0.95,
      topK: 64,
      stopSequences: ['x'],
    })
    expect(fault({ generationConfig: { maxOutputTokens: 'many' } })).toBe('generationConfig.maxOutputTokens')
    expect(fault({ generationConfig: { stopSequences: [1] } })).toBe('generationConfig.stopSequences[0]')
  })
})

describe('what a coding client sends', () => {
  it('reaches a chat server: its instructions, schema, settings and results', () => {
    const parametersJsonSchema = { type: 'object', properties: { file_path: { type: 'string' } } }
    const { request } = read({
      systemInstruction: { role: 'user', parts: [{ text: 'You are a CLI.' }] },
      contents: [
        user({ text: 'context' }),
        user({ text: 'read it' }),
        model(call('read_file', { file_path: 'a' }, 'call_std_1')),
        user(response('read_file', { output: 'A' }, 'call_std_1')),
      ],
      tools: [{ functionDeclarations: [{ name: 'read_file', description: 'Reads.', parametersJsonSchema }] }],
      generationConfig: { temperature: 1, topP: 0.95, topK: 64, thinkingConfig: { includeThoughts: true } },
    })
    const { body } = encodeChatRequest(request, { model: 'up', format: 'standard' })
    expect(body['messages']).toEqual([
      { role: 'system', content: 'You are a CLI.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'context' },
          { type: 'text', text: 'read it' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_std_1',
            type: 'function',
            function: { name: 'read_file', arguments: '{"file_path":"a"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_std_1', content: 'A' },
    ])
    expect(body['tools']).toEqual(
      anthropicToChat({
        tools: [{ name: 'read_file', description: 'Reads.', input_schema: parametersJsonSchema }],
      }).body['tools'],
    )
    expect(body).toMatchObject({ temperature: 1, top_p: 0.95 })
  })
})
