import { describe, expect, it } from 'vitest'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import { jsonSchemaOf } from '../../../src/dialects/gemini/schema.ts'
import { notedFields } from '../../request/translation.ts'
import { answered, asking, partsOf, role, toolCall } from './answers.ts'
import { chunk, done } from '../openai-chat/upstream.ts'
import {
  call,
  config,
  conversation,
  type Fields,
  fault,
  ids,
  model,
  notesTowardsChat,
  read,
  response,
  through,
  user,
} from './requests.ts'

const meaning = ({ request }: ReturnType<typeof read>): unknown =>
  JSON.parse(JSON.stringify(request, (key, value: unknown) => (key === 'original' ? undefined : value)))

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

const wish = (thinkingConfig: Fields): unknown => config({ thinkingConfig }).request.reasoning

const format = (fields: Fields): unknown => {
  const { original: _, ...said } = config(fields).request.outputFormat ?? { type: 'none' }
  return said
}

const parametersOf = (declaration: Fields): unknown =>
  read({ tools: [declared({ name: 'f', ...declaration })] }).request.tools[0]?.parameters

/** What a chat server is sent. */
const sentToChat = (fields: Fields): Fields =>
  encodeChatRequest(read(fields).request, { model: 'up', format: 'standard' }).body

describe('a request of Gemini', () => {
  it('3. snake_case = camelCase; types in both cases', () => {
    const camel = {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        user(
          { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
          { fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a' } },
        ),
        model({
          functionCall: { name: 'f', args: { my_arg: 1 } },
          thoughtSignature: 'skip_thought_signature_validator',
        }),
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
        topP: 0.5,
        stopSequences: ['x'],
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { my_field: { type: 'STRING' } } },
        thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
      },
    }
    const snake = {
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        {
          role: 'USER',
          parts: [
            { inline_data: { mime_type: 'image/png', data: 'aGk=' } },
            { file_data: { mime_type: 'image/png', file_uri: 'https://example.com/a' } },
          ],
        },
        model({
          function_call: { name: 'f', args: { my_arg: 1 } },
          thought_signature: 'skip_thought_signature_validator',
        }),
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
        top_p: 0.5,
        stop_sequences: ['x'],
        response_mime_type: 'application/json',
        response_schema: { type: 'object', properties: { my_field: { type: 'string' } } },
        thinking_config: { thinking_level: 'high', include_thoughts: true },
      },
    }
    expect(meaning(read(snake))).toEqual(meaning(read(camel)))
    expect(read(snake).request.tools[0]?.parameters).toEqual({
      type: 'object',
      properties: { my_arg: { type: 'array', minItems: 1, items: { type: 'string' } } },
    })
    const blocks = read(snake).request.contents.flatMap((content) => content.blocks)
    expect(blocks[2]).toMatchObject({ parameters: { my_arg: 1 } })
    expect(blocks[3]).toMatchObject({ result: '{"my_key":1,"other":2}' })
  })

  it('4. systemInstruction in each shape', () => {
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

  it('5. Role absent, `function`, doubled', () => {
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

  it('6. Responses by id; two of one name without ids; one missing', () => {
    expect(
      ids(
        model(call('f', {}, 'a'), call('f', {}, 'b'), call('g', {}, 'c')),
        user(response('g', {}, 'c'), response('f', {}, 'b'), response('f', {}, 'a')),
      ),
    ).toEqual(['c', 'b', 'a'])
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

  it('7. Response {output} {result} {content} {error} {name,content}, plain, with parts', () => {
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

  it('8. parameters = parametersJsonSchema; nullable, string limits, refs', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        pattern: { type: 'STRING', minLength: '2', maxLength: '10', nullable: true },
        type: { type: 'INTEGER', minimum: 1, format: 'int32' },
        color: { type: 'STRING', format: 'enum', enum: ['red'], nullable: true },
        either: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true },
        min_items: { type: 'ARRAY', min_items: '1', items: { $ref: '#/$defs/item' } },
      },
      required: ['type'],
      propertyOrdering: ['type', 'pattern'],
      $defs: { item: { type: 'STRING' } },
    }
    const parametersJsonSchema = {
      type: 'object',
      properties: {
        pattern: { type: ['string', 'null'], minLength: 2, maxLength: 10 },
        type: { type: 'integer', minimum: 1, format: 'int32' },
        color: { type: ['string', 'null'], enum: ['red', null] },
        either: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
        min_items: { type: 'array', minItems: 1, items: { $ref: '#/$defs/item' } },
      },
      required: ['type'],
      $defs: { item: { type: 'string' } },
    }
    expect(parametersOf({ parameters })).toEqual(parametersJsonSchema)
    expect(parametersOf({ parametersJsonSchema })).toEqual(parametersJsonSchema)
    expect(jsonSchemaOf(parametersJsonSchema)).toEqual(parametersJsonSchema)
  })

  it('9. Declarations over several entries; duplicates; none', () => {
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
    expect(sentToChat({ tools: [{ functionDeclarations: [] }] })).not.toHaveProperty('tools')
  })

  it('10. Each mode; ANY with 0, 1, 2 names', () => {
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
    expect(chosen('VALIDATED', ['b'])).toEqual([{ type: 'auto' }, ['b']])
    expect(chosen('MODE_UNSPECIFIED')).toEqual([undefined, all])
    expect(chosen('WHATEVER')).toEqual([undefined, all])
    expect(chosen()).toEqual([undefined, all])
  })

  it('11. googleSearch only: text, note', () => {
    const fields = { tools: [{ googleSearch: {} }, { url_context: {} }] }
    expect(read(fields).request.tools).toEqual([])
    expect(notesTowardsChat(fields)).toEqual(['dropped tools (googleSearch)', 'dropped tools (urlContext)'])
    expect(through(fields)['tools']).toEqual([{ googleSearch: {} }, { urlContext: {} }])
    const onlySearch = sentToChat({ tools: [{ googleSearch: {} }] })
    expect(onlySearch).not.toHaveProperty('tools')
    expect(onlySearch).not.toHaveProperty('tool_choice')
    const { request } = read({ tools: [{ googleSearch: {} }] })
    const text = role + chunk({ content: 'Found.' }) + chunk({}, 'stop') + done
    expect(partsOf(answered(text, { request }))).toEqual([{ text: 'Found.' }])
  })

  it('12. Budget 0, −1, n; levels; includeThoughts false keeps the envelope', () => {
    expect(wish({ thinkingBudget: 0 })).toEqual({ mode: 'off' })
    expect(wish({ thinkingBudget: -1 })).toEqual({ mode: 'adaptive' })
    expect(wish({ thinkingBudget: 4096 })).toEqual({ mode: 'on', budgetTokens: 4096 })
    expect(wish({ thinkingLevel: 'MINIMAL' })).toEqual({ mode: 'on', effort: 'minimal' })
    expect(wish({ thinkingLevel: 'high' })).toEqual({ mode: 'on', effort: 'high' })
    expect(wish({ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' })).toBeUndefined()
    expect(wish({ includeThoughts: true })).toBeUndefined()
    const wanted = [{ includeThoughts: true }, { includeThoughts: false }, {}].map(
      (thinkingConfig) => config({ thinkingConfig }).request.wantsThoughts,
    )
    expect(wanted).toEqual([true, false, false])
    const body =
      role + chunk({ reasoning_content: 'hm' }) + toolCall(0, 'f', '{}') + chunk({}, 'tool_calls') + done
    const [shown, hidden] = [true, false].map((wants) => partsOf(answered(body, { request: asking(wants) })))
    expect(shown?.map(({ text }) => text)).toEqual(['hm', undefined])
    expect(hidden).toHaveLength(1)
    expect(hidden?.[0]?.['thoughtSignature']).toBe(shown?.[1]?.['thoughtSignature'])
    expect(hidden?.[0]?.['thoughtSignature']).toMatch(/^ZHJhZ29tYW5f/)
  })

  it('13. responseSchema with, without mime type', () => {
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

  it('14. cachedContent 400; candidateCount 2 noted', () => {
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
