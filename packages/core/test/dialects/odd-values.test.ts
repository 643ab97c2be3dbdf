import { describe, expect, it } from 'vitest'
import { type DialectId, dialects, translateAnswer } from '../../src/index.ts'

/**
 * JSON may hold objects that cannot be made a text: their `toString` is no function, and whoever writes them into a
 * sentence throws. Here every value of requests and answers is replaced by one, one at a time.
 */
const odd: readonly unknown[] = [{ toString: 1 }, [{ toString: 1, valueOf: 1 }], 7, null, { toJSON: 1 }]

const ids: readonly DialectId[] = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini']

const schema = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['Paris'] } },
  required: ['city'],
}
const image = 'data:image/png;base64,aGk='

const requests: Readonly<Record<DialectId, object>> = {
  'openai-chat': {
    model: 'm',
    stream: true,
    max_tokens: 10,
    stop: ['a'],
    temperature: 1,
    reasoning_effort: 'low',
    user: 'u',
    tool_choice: { type: 'function', function: { name: 'f' } },
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    web_search_options: { search_context_size: 'low' },
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters: schema } },
      { type: 'custom', custom: { name: 'c', description: 'd', format: { type: 'text' } } },
    ],
    messages: [
      { role: 'system', content: [{ type: 'text', text: 's' }] },
      {
        role: 'user',
        name: 'ada',
        content: [
          { type: 'text', text: 't' },
          { type: 'image_url', image_url: { url: image, detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } },
          { type: 'file', file: { filename: 'f.pdf', file_data: 'data:application/pdf;base64,aGk=' } },
        ],
      },
      {
        role: 'assistant',
        content: 'a',
        refusal: 'r',
        reasoning_content: 'why',
        reasoning_details: [{ type: 'reasoning.text', text: 'x', signature: 's' }],
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"city":"Paris"}' } },
          { id: 'c2', type: 'custom', custom: { name: 'c', input: 'x' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', name: 'f', content: [{ type: 'text', text: 'r' }] },
      { role: 'tool', tool_call_id: 'c2', content: 'r' },
    ],
  },
  'anthropic-messages': {
    model: 'm',
    max_tokens: 10,
    stream: true,
    system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
    stop_sequences: ['a'],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    metadata: { user_id: 'u' },
    tool_choice: { type: 'tool', name: 'f' },
    tools: [
      { name: 'f', description: 'd', input_schema: schema },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 1 },
      { type: 'bash_20250124', name: 'bash' },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 't' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
          { type: 'document', title: 'd', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
          { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'x' }] },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'why', signature: 's' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'tool_use', id: 't1', name: 'f', input: { city: 'Paris' } },
          { type: 'server_tool_use', id: 't2', name: 'web_search', input: { query: 'q' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 't2',
            content: [{ type: 'web_search_result', title: 't', url: 'u', encrypted_content: 'e' }],
          },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            is_error: true,
            content: [
              { type: 'text', text: 'r' },
              { type: 'tool_reference', tool_name: 'f' },
            ],
          },
        ],
      },
    ],
  },
  'openai-responses': {
    model: 'm',
    stream: true,
    instructions: 'i',
    max_output_tokens: 10,
    reasoning: { effort: 'low', summary: 'auto' },
    text: { format: { type: 'json_schema', name: 'n', schema }, verbosity: 'low' },
    tool_choice: { type: 'function', name: 'f' },
    include: ['reasoning.encrypted_content'],
    tools: [
      { type: 'function', name: 'f', description: 'd', parameters: schema },
      { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      { type: 'web_search' },
      { type: 'local_shell' },
    ],
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 's' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 't' },
          { type: 'input_image', image_url: image, detail: 'low' },
          { type: 'input_file', filename: 'f.pdf', file_data: 'data:application/pdf;base64,aGk=' },
        ],
      },
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'x' }], encrypted_content: 'e' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"city":"Paris"}' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'r' }] },
      { type: 'custom_tool_call', call_id: 'c2', name: 'c', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'r' },
      {
        type: 'local_shell_call',
        call_id: 'c3',
        action: { type: 'exec', command: ['ls'] },
        status: 'completed',
      },
      { type: 'local_shell_call_output', call_id: 'c3', output: 'r' },
      { type: 'shell_call', call_id: 'c4', action: { commands: ['ls'] } },
      {
        type: 'shell_call_output',
        call_id: 'c4',
        output: [{ stdout: 'o', stderr: 'e', outcome: { type: 'exit', exit_code: 1 } }],
      },
      { type: 'web_search_call', id: 'w', status: 'completed', action: { type: 'search', query: 'q' } },
      { type: 'tool_search_call', call_id: 'c5', execution: 'client', arguments: { query: 'q' } },
      {
        type: 'tool_search_output',
        call_id: 'c5',
        tools: [{ type: 'function', name: 'g', description: 'd' }],
      },
    ],
  },
  gemini: {
    systemInstruction: { parts: [{ text: 's' }] },
    generationConfig: {
      maxOutputTokens: 10,
      stopSequences: ['a'],
      responseMimeType: 'application/json',
      responseSchema: schema,
      thinkingConfig: { thinkingBudget: 100, thinkingLevel: 'low' },
    },
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    tools: [
      { functionDeclarations: [{ name: 'f', description: 'd', parameters: schema }] },
      { googleSearch: {} },
    ],
    contents: [
      {
        role: 'user',
        parts: [
          { text: 't' },
          { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
          { fileData: { mimeType: 'image/png', fileUri: 'https://a.example/x' } },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'why', thought: true, thoughtSignature: 'cw==' },
          { functionCall: { id: 'c1', name: 'f', args: { city: 'Paris' } }, thoughtSignature: 'cw==' },
          { executableCode: { language: 'PYTHON', code: '1' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { output: 'r' } } }] },
    ],
  },
}

const path = '/v1beta/models/m:streamGenerateContent'

describe.each(ids)('a request of %s with an odd value in the place of any other', (id) => {
  it('is understood, or refused by the name of a field, and never breaks anything', () => {
    for (const request of oddVersions(requests[id])) {
      const decoded = dialects[id].request.decode(request, { path, query: {} })
      if ('error' in decoded) {
        expect(decoded.error.field).not.toBe('')
        continue
      }
      for (const to of ids) {
        const target = { model: 'm', format: 'kimi', sameDialect: to === id } as const
        expect(dialects[to].request.encode(decoded.request, target).body).toBeTypeOf('object')
      }
      dialects[id].serverTools?.refuse(decoded.request, { id: 'a' })
    }
  })
})

const usage = { prompt_tokens: 1, completion_tokens: 1 }

const answers: Readonly<Record<DialectId, readonly object[]>> = {
  'openai-chat': [
    {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            content: [{ type: 'text', text: 'a' }],
            reasoning_content: 'why',
            reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
            tool_calls: [
              {
                index: 0,
                id: 'c1',
                type: 'function',
                function: { name: 'f', arguments: '{"city":"Paris"}' },
              },
            ],
          },
          finish_reason: null,
        },
      ],
    },
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls', stop_reason: 'x' }], usage },
  ],
  'anthropic-messages': [
    { type: 'message_start', message: { id: 'm', role: 'assistant', model: 'm', content: [], usage } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'why' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"city":"Paris"}' },
    },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ],
  'openai-responses': [
    { type: 'response.created', response: { id: 'r', model: 'm', status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm', content: [] } },
    {
      type: 'response.content_part.added',
      output_index: 0,
      item_id: 'm',
      content_index: 0,
      part: { type: 'output_text', text: '' },
    },
    { type: 'response.output_text.delta', output_index: 0, item_id: 'm', content_index: 0, delta: 'a' },
    { type: 'response.output_text.done', output_index: 0, item_id: 'm', content_index: 0, text: 'a' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'message', id: 'm', content: [{ type: 'output_text', text: 'a' }] },
    },
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { type: 'function_call', id: 'f', call_id: 'c', name: 'f', arguments: '{"city":"Paris"}' },
    },
    {
      type: 'response.completed',
      response: {
        id: 'r',
        status: 'completed',
        output: [{ type: 'message', id: 'm', content: [{ type: 'output_text', text: 'a' }] }],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
  ],
  gemini: [
    {
      responseId: 'r',
      modelVersion: 'm',
      candidates: [
        {
          index: 0,
          content: {
            role: 'model',
            parts: [
              { text: 'why', thought: true, thoughtSignature: 'cw==' },
              { text: 'a' },
              { functionCall: { id: 'c', name: 'f', args: { city: 'Paris' } } },
              { executableCode: { language: 'PYTHON', code: '1' } },
            ],
          },
        },
      ],
    },
    {
      candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP', finishMessage: 'x' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
    },
  ],
}

/** What upstreams tell of failures, in every shape. */
const errors: readonly object[] = [
  { error: { message: 'm', type: 't', code: 'c', param: 'p', status: 's', details: [{ quotaId: 'q' }] } },
  { type: 'error', error: { type: 'overloaded_error', message: 'm' } },
  { type: 'response.failed', response: { status: 'failed', error: { code: 'c', message: 'm' } } },
  {
    error: {
      code: 429,
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'PerDay' }] },
      ],
    },
  },
]

const madeStreams = new Map<DialectId, readonly string[][]>()

/** The events of every stream with an odd value: made once for all clients. */
function oddStreams(from: DialectId): readonly string[][] {
  const known = madeStreams.get(from)
  if (known !== undefined) return known
  const versions = [
    ...oddVersions(answers[from]),
    ...errors.flatMap((error) => oddVersions([answers[from][0], error])),
  ]
  const made = versions.map((events) => (Array.isArray(events) ? events.map(eventOf) : []))
  madeStreams.set(from, made)
  return made
}

const pairs = ids.flatMap((from) => ids.map((to) => [from, to] as const))

describe.each(pairs)('an answer of %s with odd values, for a client of %s', (from, to) => {
  it.each(['stream', 'whole'] as const)('breaks nothing (%s)', (wants) => {
    const unended = oddStreams(from).filter((events) => {
      const answer = open(from, to, wants)
      for (const event of events) answer.push(event)
      answer.end()
      return answer.state !== 'ended'
    })
    expect(unended).toEqual([])
  })

  it.each(['stream', 'whole'] as const)('nested deeper than the stack, is an error (%s)', (wants) => {
    const deep = `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`
    for (const event of answers[from]) {
      const answer = open(from, to, wants)
      for (const other of answers[from]) {
        const json = JSON.stringify(other)
        answer.push(other === event ? `data: ${json.slice(0, -1)},"deep":${deep}}\n\n` : eventOf(other))
      }
      answer.end()
      expect(answer.failure?.code).toBe('upstream_protocol_error')
    }
  })
})

function eventOf(event: unknown): string {
  const type: unknown =
    typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined
  const line = typeof type === 'string' ? `event: ${type}\n` : ''
  return `${line}data: ${JSON.stringify(event)}\n\n`
}

function open(from: DialectId, to: DialectId, wants: 'stream' | 'whole') {
  let minted = 0
  return translateAnswer({
    from,
    to,
    delivered: 'stream',
    wants,
    parser: {},
    mint: () => `call_std_${minted++}`,
    includeUsage: true,
    redact: (text) => text,
    encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 'ours' }),
  })
}

/** The value with each of its parts replaced in turn. */
function oddVersions(value: unknown): unknown[] {
  const inside = (): unknown[] => {
    if (Array.isArray(value)) {
      return value.flatMap((item: unknown, at) => oddVersions(item).map((other) => value.with(at, other)))
    }
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, item]) =>
      oddVersions(item).map((other) => Object.assign({}, value, { [key]: other })),
    )
  }
  return [...odd, ...inside()]
}
