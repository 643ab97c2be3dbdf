// Exchanges to look at without a gateway: some made by the core as a gateway would make them, the rest only lines of the list.
import { dialects, formats, makeSignature, mintToolId, translateAnswer } from '@dragoman/core'

const started = Date.UTC(2026, 10, 16, 9, 30, 0)

const weather = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  input_schema: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
}

const search = {
  name: 'search',
  description: 'Looks through files.',
  input_schema: { type: 'object', properties: { query: { type: 'string' }, limit: { type: 'integer' } } },
}

const cases = [
  {
    id: 'kimi-call',
    client: 'claude-cli/2.1.4',
    model: 'claude-sonnet-4-5',
    upstreamModel: 'moonshotai/kimi-k2-thinking',
    format: 'kimi',
    reasoning: 'The user wants the weather in Oslo. I have a tool for that, so I should call it.',
    said:
      'I will look it up.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>' +
      '{"city": "Oslo", "days": 3,}<|tool_call_end|><|tool_call_begin|>functions.search:1<|tool_call_argument_begin|>' +
      '{"query": "umbrella"}<|tool_call_end|><|tool_calls_section_end|><|im_end|>',
  },
  {
    id: 'qwen-broken',
    client: 'opencode/1.0.120',
    model: 'qwen3-coder',
    upstreamModel: 'Qwen/Qwen3-Coder-30B-A3B-Instruct',
    format: 'qwen',
    reasoning: '',
    said:
      'Two things at once.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\nthree\n' +
      '</parameter>\n</function>\n</tool_call>\nand then\n<tool_call>\n<function=forecast>\n<parameter=city>\nLyon',
  },
  {
    id: 'hostile',
    client: 'curl/8.10.1',
    model: 'qwen3-coder',
    upstreamModel: 'Qwen/Qwen3-Coder-30B-A3B-Instruct',
    format: 'hermes',
    reasoning: '<script>document.title = "owned"</script>',
    said:
      '<img src=x onerror="document.title=1"><svg onload=alert(1)>\u001b[31mred\u001b[0m \u202eevil\u202c \ud83d alone\u0000 ' +
      '<tool_call>{"name": "<b>search</b>", "arguments": {"query": "</script><script>document.title=2</script>"}}</tool_call>',
  },
]

/** The request of a client, as one of Anthropic's would send it. */
function requestOf(model) {
  return {
    model,
    max_tokens: 2048,
    temperature: 0.7,
    top_k: 40,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    metadata: { user_id: 'user-1' },
    system: [{ type: 'text', text: 'You are a helpful agent.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'What was the weather yesterday?' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_kimi_01', name: 'get_weather', input: { city: 'Oslo', days: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_kimi_01', content: 'Rain.' }] },
      { role: 'assistant', content: 'It rained.' },
      { role: 'user', content: 'And the next three days?' },
    ],
    tools: [weather, search],
    stream: true,
  }
}

/** Cuts a text as a server does that sends a token at a time. */
function tokensOf(text) {
  return text.match(/.{1,5}/gsu) ?? []
}

function chunksOf({ upstreamModel, reasoning, said }) {
  const chunk = (choice) => {
    const body = {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: upstreamModel,
      choices: [choice],
    }
    return `data: ${JSON.stringify(body)}\n\n`
  }
  const delta = (fields) => chunk({ index: 0, delta: fields, finish_reason: null })
  return [
    delta({ role: 'assistant', content: '' }),
    ...tokensOf(reasoning).map((reasoning_content) => delta({ reasoning_content })),
    ': keep-alive\n\n',
    ...tokensOf(said).map((content) => delta({ content })),
    chunk({ index: 0, delta: {}, finish_reason: 'stop' }),
    'data: [DONE]\n\n',
  ]
}

function exchangeOf(each, index) {
  const body = requestOf(each.model)
  const decoded = dialects['anthropic-messages'].request.decode(body)
  const target = { model: each.upstreamModel, format: each.format }
  const sent = dialects['openai-chat'].request.encode(decoded.request, target)
  const told = []
  const translation = translateAnswer({
    from: 'openai-chat',
    to: 'anthropic-messages',
    delivered: 'stream',
    wants: 'stream',
    includeUsage: true,
    parser: { format: each.format, model: each.upstreamModel, tools: decoded.request.tools },
    clientToolName: (name) => sent.toolNames.toClient(name),
    mint: (format, taken) =>
      mintToolId({ dialect: 'anthropic-messages', format, taken, newId: () => `n${told.length}${index}x` }),
    encoding: () => ({
      id: 'msg_1',
      model: each.model,
      created: 1,
      inputTokens: () => 812,
      signature: (field) => makeSignature({ format: each.format, field, model: each.upstreamModel }),
    }),
    watcher: {
      problem: (code, message) => told.push({ kind: 'problem', code, message: message ?? code }),
      repair: (code, message) => told.push({ kind: 'repair', code, message: message ?? code }),
    },
  })
  const said = []
  const got = []
  let at = 640
  for (const [number, text] of chunksOf(each).entries()) {
    at += number === 20 ? 2300 : 12 + ((number * 7) % 40)
    said.push({ at, text })
    const out = translation.push(text)
    if (out !== '') got.push({ at: at + 1, text: out })
  }
  const rest = translation.end()
  if (rest !== '') got.push({ at: at + 2, text: rest })
  const notes = [...decoded.notes, ...sent.notes]
  return {
    details: {
      summary: {
        id: each.id,
        time: new Date(started - index * 61_000).toISOString(),
        state: translation.failure === null ? 'ended' : 'failed',
        client: each.client,
        clientDialect: 'anthropic-messages',
        model: each.model,
        upstream: 'lab',
        upstreamModel: each.upstreamModel,
        format: each.format,
        formatFrom: 'model',
        status: 200,
        finish: translation.failure === null ? 'tool_use' : null,
        firstByteMs: 640,
        durationMs: at + 2,
        inputTokens: 812,
        outputTokens: 96,
        calls: 2,
        problems: told.filter(({ kind }) => kind === 'problem').length,
        repairs: told.filter(({ kind }) => kind === 'repair').length,
        notes: notes.length,
        failure: translation.failure?.message ?? null,
      },
      client: {
        dialect: 'anthropic-messages',
        method: 'POST',
        path: '/v1/messages',
        headers: dialects['anthropic-messages'].http.headers('$DRAGOMAN_API_KEY'),
      },
      upstream: {
        name: 'lab',
        dialect: 'openai-chat',
        method: 'POST',
        url: 'http://lab.example:8000/v1/chat/completions',
        model: each.upstreamModel,
        status: 200,
        contentType: 'text/event-stream',
        fault: null,
        reading: { format: each.format, model: each.upstreamModel, delivery: 'incremental' },
      },
      notes,
      told,
    },
    stages: {
      'client-request': [{ at: 0, text: JSON.stringify(body) }],
      'upstream-request': [{ at: 4, text: JSON.stringify(sent.body) }],
      'upstream-response': said,
      'client-response': got,
    },
  }
}

const clients = ['claude-cli/2.1.4', 'opencode/1.0.120', 'kimi-code/0.9', 'OpenAI/Python 2.8.1', null]
const names = formats.filter(({ sample }) => sample !== '').map(({ id }) => id)

/** A line of the list whose exchange is like one of the cases. */
function summaryOf(index, like) {
  const format = names[index % names.length]
  const isFailed = index % 37 === 5
  const isPlain = index % 3 !== 0
  return {
    ...like,
    id: `r${String(index).padStart(6, '0')}`,
    time: new Date(started - index * 61_000 - 300_000).toISOString(),
    state: isFailed ? 'failed' : 'ended',
    client: clients[index % clients.length],
    model: isPlain ? `${format}-model` : 'claude-sonnet-4-5',
    upstreamModel: `vendor/${format}-model`,
    upstream: index % 4 === 0 ? 'openrouter' : 'lab',
    format,
    formatFrom: ['model', 'stream', 'configuration'][index % 3],
    status: isFailed ? 502 : 200,
    finish: isFailed ? null : ['stop', 'tool_calls', 'length'][index % 3],
    firstByteMs: isFailed ? null : 180 + ((index * 131) % 2400),
    durationMs: 900 + ((index * 977) % 64_000),
    inputTokens: 300 + ((index * 577) % 48_000),
    outputTokens: isFailed ? null : 12 + ((index * 91) % 2200),
    calls: index % 3,
    problems: index % 11 === 0 ? 1 : 0,
    repairs: index % 7 === 0 ? 2 : 0,
    notes: index % 5 === 0 ? 3 : 0,
    failure: isFailed ? 'The upstream closed the connection in the middle of its answer.' : null,
  }
}

/** All exchanges, newest first, and each by its id. */
export function makeExchanges(count) {
  const rich = cases.map(exchangeOf)
  const byId = new Map(rich.map((each) => [each.details.summary.id, each]))
  const summaries = rich.map(({ details }) => details.summary)
  for (let index = 0; index < count; index++) {
    const like = rich[index % 2]
    const summary = summaryOf(index, like.details.summary)
    summaries.push(summary)
    byId.set(summary.id, { ...like, details: { ...like.details, summary } })
  }
  const huge = hugeExchange(rich[0])
  summaries.push(huge.details.summary)
  byId.set(huge.details.summary.id, huge)
  return { summaries, byId }
}

/** An answer of a hundred thousand chunks and events, and of more than four megabytes. The client gets as many chunks. */
function hugeExchange(like) {
  const word = 'All work and no play makes a model a dull reader.\n'
  const said = Array.from({ length: 100_000 }, (_, index) => {
    const content =
      index % 4 === 3 ? `<tool_call>{"name": "search", "arguments": {"query": "${index}"}}</tool_call>` : word
    return {
      at: 400 + index / 5,
      text: `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
    }
  })
  const summary = {
    ...like.details.summary,
    id: 'huge',
    time: new Date(started - 9e9).toISOString(),
    format: 'hermes',
  }
  const upstream = { ...like.details.upstream, reading: { format: 'hermes' } }
  return {
    details: { ...like.details, summary, upstream, told: [] },
    stages: { ...like.stages, 'upstream-response': said, 'client-response': said },
  }
}
