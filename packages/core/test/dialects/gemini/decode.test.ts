import { describe, expect, it } from 'vitest'
import { decodeGeminiRequest } from '../../../src/dialects/gemini/request/decode.ts'
import { anthropicToChat, errorIn, notedFields, readable } from '../../request/translation.ts'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import {
  asked,
  call,
  conversation,
  type Fields,
  geminiBody,
  model,
  read,
  response,
  through,
  user,
} from './requests.ts'

const meaning = ({ request }: ReturnType<typeof read>): unknown =>
  JSON.parse(JSON.stringify(request, (key, value: unknown) => (key === 'original' ? undefined : value)))

const ids = (...contents: Fields[]): string[] =>
  conversation(user({ text: 'go' }), ...contents).flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      typeof block === 'object' && block !== null && 'callId' in block ? [String(block.callId)] : [],
    ),
  )

const result = (value: unknown): unknown => {
  const contents = conversation(
    user({ text: 'go' }),
    model(call('f', {}, 'a')),
    user(response('f', value, 'a')),
  )
  return contents[2]?.blocks[0]
}

const declared = (...declarations: Fields[]): Fields => ({ functionDeclarations: declarations })

const named = (fields: Fields): string[] => read(fields).request.tools.map(({ name }) => name)

const config = (generationConfig: Fields): ReturnType<typeof read> => read({ generationConfig })

const wish = (thinkingConfig: Fields): unknown => config({ thinkingConfig }).request.reasoning

const format = (fields: Fields): unknown => {
  const { original: _, ...said } = config(fields).request.outputFormat ?? { type: 'none' }
  return said
}

function askedAt(path: string): { model: string; stream: boolean } {
  const { request } = readable(decodeGeminiRequest(geminiBody({}), { path, query: {} }))
  return { model: request.model, stream: request.stream }
}

function fault(fields: Fields): string {
  return errorIn(decodeGeminiRequest(geminiBody(fields), asked)).field
}

/** The notes of a request that goes on to a chat server. */
function notesTowardsChat(fields: Fields): string[] {
  const { request, notes } = read(fields)
  const encoded = encodeChatRequest(request, { model: 'up', format: 'standard' })
  return notedFields([...notes, ...encoded.notes])
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

describe('the spelling of fields', () => {
  it('with underscores means the same, and words may be written in both cases', () => {
    const camel = {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        user({ inlineData: { mimeType: 'image/png', data: 'aGk=' } }),
        model({ functionCall: { name: 'f', args: { my_arg: 1 } } }),
        user({ functionResponse: { name: 'f', response: { my_key: 1, other: 2 } } }),
      ],
      tools: [
        {
          functionDeclarations: [
            {
              name: 'f',
              parameters: {
                type: 'OBJECT',
                properties: { my_arg: { type: 'ARRAY', minItems: '1', items: { type: 'STRING' } } },
              },
            },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        maxOutputTokens: 5,
        thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
      },
    }
    const snake = {
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'USER', parts: [{ inline_data: { mime_type: 'image/png', data: 'aGk=' } }] },
        model({ function_call: { name: 'f', args: { my_arg: 1 } } }),
        user({ function_response: { name: 'f', response: { my_key: 1, other: 2 } } }),
      ],
      tools: [
        {
          function_declarations: [
            {
              name: 'f',
              parameters: {
                type: 'object',
                properties: { my_arg: { type: 'array', min_items: 1, items: { type: 'string' } } },
              },
            },
          ],
        },
      ],
      tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['f'] } },
      generation_config: {
        max_output_tokens: 5,
        thinking_config: { thinking_level: 'high', include_thoughts: true },
      },
    }
    expect(meaning(read(snake))).toEqual(meaning(read(camel)))
    expect(read(snake).request.tools[0]?.parameters).toEqual({
      type: 'object',
      properties: { my_arg: { type: 'array', minItems: 1, items: { type: 'string' } } },
    })
    const blocks = read(snake).request.contents.flatMap((content) => content.blocks)
    expect(blocks[1]).toMatchObject({ parameters: { my_arg: 1 } })
    expect(blocks[2]).toMatchObject({ result: '{"my_key":1,"other":2}' })
  })
})

describe('instructions', () => {
  it('are a content, a part or a text', () => {
    const shapes = [
      'Be brief.',
      { text: 'Be brief.' },
      { parts: [{ text: 'Be brief.' }] },
      { role: 'user', parts: [{ text: 'Be brief.' }] },
      { parts: { text: 'Be brief.' } },
      [{ text: 'Be brief.' }],
    ]
    for (const systemInstruction of shapes) {
      expect(read({ systemInstruction }).request.system).toEqual([{ text: 'Be brief.' }])
    }
    expect(read({ systemInstruction: { parts: [] } }).request.system).toEqual([])
    expect(read({ systemInstruction: null }).request.system).toEqual([])
    expect(fault({ systemInstruction: { parts: [{ inlineData: {} }] } })).toBe(
      'systemInstruction.parts[0].text',
    )
  })
})

describe('contents', () => {
  it('without a role are the user’s, with the role `function` hold results, and two of one role are one', () => {
    expect(
      conversation(
        { parts: [{ text: 'a' }] },
        user({ text: 'b' }),
        model({ text: 'c' }),
        model(call('f', {}, 'x')),
        { role: 'function', parts: [response('f', { output: 'd' }, 'x')] },
      ),
    ).toEqual([
      {
        speaker: 'human',
        blocks: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        speaker: 'ai',
        blocks: [
          { type: 'text', text: 'c' },
          { type: 'tool_call', id: 'x', name: 'f', parameters: {} },
        ],
      },
      { speaker: 'tool', blocks: [{ type: 'tool_response', callId: 'x', toolName: 'f', result: 'd' }] },
    ])
  })

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
  it('answer the call of their id, whatever their order', () => {
    expect(
      ids(
        model(call('f', {}, 'a'), call('f', {}, 'b'), call('g', {}, 'c')),
        user(response('g', {}, 'c'), response('f', {}, 'b'), response('f', {}, 'a')),
      ),
    ).toEqual(['c', 'b', 'a'])
  })

  it('without ids answer calls of their name in order, also where one is missing', () => {
    const step = model(call('f'), call('g'), call('f'))
    expect(ids(step, user(response('g', {}), response('f', {}), response('f', {})))).toEqual([
      'call_1',
      'call_0',
      'call_2',
    ])
    expect(ids(step, user(response('g', {}), response('f', {})))).toEqual(['call_1', 'call_0'])
    // The first step was interrupted: its call does not take the answer of the second.
    expect(ids(model(call('f')), user({ text: 'again' }), model(call('f')), user(response('f', {})))).toEqual(
      ['call_1'],
    )
  })

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

  it('are what stands under the one name of a wrapper, else the object as JSON', () => {
    const told = { type: 'tool_response', callId: 'a', toolName: 'f' }
    for (const wrapper of ['output', 'result', 'content']) {
      expect(result({ [wrapper]: 'done' })).toEqual({ ...told, result: 'done' })
    }
    expect(result({ name: 'f', content: 'done' })).toEqual({ ...told, result: 'done' })
    expect(result({ error: 'no' })).toEqual({ ...told, result: 'no', isError: true })
    expect(result({ output: { a: 1 } })).toEqual({ ...told, result: '{"a":1}' })
    expect(result({ status: 'ok' })).toEqual({ ...told, result: '{"status":"ok"}' })
    expect(result({ output: 'a', error: 'b' })).toEqual({ ...told, result: '{"output":"a","error":"b"}' })
    expect(result(undefined)).toEqual({ ...told, result: '' })
  })

  it('show what stands in their parts', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }]
    const functionResponse = { name: 'f', id: 'a', response: { output: 'see' }, parts }
    const contents = conversation(user({ text: 'go' }), model(call('f', {}, 'a')), user({ functionResponse }))
    expect(contents[2]?.blocks[0]).toMatchObject({
      result: [
        { type: 'text', text: 'see' },
        { type: 'media', mimeType: 'image/png', data: 'aGk=', encoding: 'base64' },
      ],
    })
  })
})

describe('tools', () => {
  it('may be declared in several entries; a second one of a name is left out, and none are none', () => {
    const tools = [declared({ name: 'a' }, { name: 'b' }), declared({ name: 'c' }, { name: 'a' })]
    expect(named({ tools })).toEqual(['a', 'b', 'c'])
    expect(notedFields(read({ tools }).notes)).toEqual(['dropped tools'])
    expect(read({ tools: [declared({ name: 'a' })] }).request.tools[0]?.parameters).toEqual({
      type: 'object',
      properties: {},
    })
    expect(named({ tools: [] })).toEqual([])
    expect(named({ tools: [{ functionDeclarations: [] }] })).toEqual([])
    expect(fault({ tools: [declared({ description: 'nameless' })] })).toBe(
      'tools[0].functionDeclarations[0].name',
    )
  })

  it('that the server runs are noted, and the request is answered without them', () => {
    const fields = { tools: [{ googleSearch: {} }, { url_context: {} }] }
    expect(read(fields).request.tools).toEqual([])
    expect(notesTowardsChat(fields)).toEqual(['dropped tools (googleSearch)', 'dropped tools (urlContext)'])
    expect(through(fields)['tools']).toEqual([{ googleSearch: {} }, { urlContext: {} }])
  })

  it('are chosen as the mode says, one alone where one name is allowed', () => {
    const tools = [declared({ name: 'a' }, { name: 'b' }, { name: 'c' })]
    const chosen = (mode?: string, allowedFunctionNames?: string[]): [unknown, string[]] => {
      const fields = { tools, toolConfig: { functionCallingConfig: { mode, allowedFunctionNames } } }
      return [read(fields).request.toolChoice, named(fields)]
    }
    const all = ['a', 'b', 'c']
    expect(chosen('AUTO')).toEqual([{ type: 'auto' }, all])
    expect(chosen('VALIDATED')).toEqual([{ type: 'auto' }, all])
    expect(chosen('NONE')).toEqual([{ type: 'none' }, all])
    expect(chosen('ANY')).toEqual([{ type: 'required' }, all])
    expect(chosen('ANY', [])).toEqual([{ type: 'required' }, all])
    expect(chosen('ANY', ['b'])).toEqual([{ type: 'tool', name: 'b' }, all])
    expect(chosen('ANY', ['a', 'b'])).toEqual([{ type: 'required' }, ['a', 'b']])
    expect(chosen('MODE_UNSPECIFIED')).toEqual([undefined, all])
    expect(chosen('WHATEVER')).toEqual([undefined, all])
    expect(chosen()).toEqual([undefined, all])
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

  it('turn thinking off with a budget of 0, leave it to the model with -1, and know budgets and levels', () => {
    expect(wish({ thinkingBudget: 0 })).toEqual({ mode: 'off' })
    expect(wish({ thinkingBudget: -1 })).toEqual({ mode: 'adaptive' })
    expect(wish({ thinkingBudget: 4096 })).toEqual({ mode: 'on', budgetTokens: 4096 })
    expect(wish({ thinkingLevel: 'MINIMAL' })).toEqual({ mode: 'on', effort: 'minimal' })
    expect(wish({ thinkingLevel: 'high' })).toEqual({ mode: 'on', effort: 'high' })
    expect(wish({ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' })).toBeUndefined()
    expect(wish({ includeThoughts: true })).toBeUndefined()
  })

  it('show thoughts only where the client asks for them', () => {
    const shown = [{ includeThoughts: true }, { includeThoughts: false }, {}].map(
      (thinkingConfig) => config({ thinkingConfig }).request.wantsThoughts,
    )
    expect(shown).toEqual([true, false, false])
  })

  it('ask for JSON with a schema, with and without the type, and with the type alone', () => {
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } } }
    const own = { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } }
    const json = { responseMimeType: 'application/json' }
    const wanted = { type: 'json-schema', name: 'answer', schema }
    expect(format({ ...json, responseSchema: own })).toEqual(wanted)
    expect(format({ ...json, responseJsonSchema: schema })).toEqual(wanted)
    expect(format({ responseSchema: own })).toEqual(wanted)
    expect(format(json)).toEqual({ type: 'json' })
    expect(format({ responseMimeType: 'text/plain' })).toEqual({ type: 'text' })
    expect(
      notesTowardsChat({ generationConfig: { responseMimeType: 'text/x.enum', responseSchema: own } }),
    ).toEqual(['dropped generationConfig.responseMimeType', 'dropped generationConfig.responseSchema'])
  })

  it('that stand for a conversation which is kept elsewhere are refused, others are noted', () => {
    expect(fault({ cachedContent: 'cachedContents/x' })).toBe('cachedContent')
    expect(fault({ continuation_token: 'x' })).toBe('continuationToken')
    expect(read({ cachedContent: '' }).request.extra).toEqual({})
    const fields = {
      generationConfig: { candidateCount: 2, seed: 1 },
      safetySettings: [],
      labels: { my_label: 'x' },
    }
    expect(notesTowardsChat(fields)).toEqual([
      'dropped safetySettings',
      'dropped labels',
      'dropped generationConfig.candidateCount',
      'dropped generationConfig.seed',
    ])
    expect(through(fields)).toMatchObject(fields)
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
