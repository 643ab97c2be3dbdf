import type { DialectId, ParserOptions, Usage } from '../../src/index.ts'
import { dialects, translateAnswer } from '../../src/index.ts'
import { isRecord } from '../support/is-record.ts'
import { assembleAnthropic } from '../dialects/anthropic-messages/assemble.ts'
import { countingMint } from '../dialects/openai-chat/upstream.ts'

export interface Way {
  readonly from: DialectId
  readonly to: DialectId
  readonly wants: 'stream' | 'whole'
}

const ids: readonly DialectId[] = ['openai-chat', 'anthropic-messages']

/** Every pairing, streamed and whole. */
export const ways: readonly Way[] = ids.flatMap((from) =>
  ids.flatMap((to) => (['stream', 'whole'] as const).map((wants) => ({ from, to, wants }))),
)

export interface TranslatedAnswer {
  readonly text: string
  /** The calls that a client would run: name and arguments. */
  readonly calls: readonly string[]
  readonly finish: unknown
  readonly usage: unknown
  /** What was told of the answer, problems and repairs by their codes. */
  readonly told: readonly string[]
  readonly counted: Usage | null
  readonly failure: string | null
  readonly body: string
}

export interface Reading {
  readonly parser?: ParserOptions
  readonly maxTokens?: number
  readonly includeUsage?: boolean
}

/** What becomes of the event stream of an upstream, event by event. */
export function translated(sse: string, { from, to, wants }: Way, reading: Reading = {}): TranslatedAnswer {
  const told: string[] = []
  let counted: Usage | null = null
  const answer = translateAnswer({
    from,
    to,
    delivered: 'stream',
    wants,
    parser: reading.parser ?? {},
    mint: countingMint(to),
    maxTokens: reading.maxTokens,
    includeUsage: reading.includeUsage ?? true,
    watcher: {
      problem: (code) => told.push(code),
      repair: (code) => told.push(code),
      usage: (usage) => {
        counted = usage
      },
    },
    encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 'ours' }),
  })
  const pieces = sse.split(/(?<=\n\n)/)
  const body = pieces.map((piece) => answer.push(piece)).join('') + answer.end()
  const failure = answer.failure?.code ?? null
  const read = failure === null ? readers[to][wants](body) : nothing
  return { ...read, told, counted, failure, body }
}

type Read = Pick<TranslatedAnswer, 'text' | 'calls' | 'finish' | 'usage'>

const nothing: Read = { text: '', calls: [], finish: null, usage: null }

const readers: Readonly<Record<DialectId, Readonly<Record<'stream' | 'whole', (body: string) => Read>>>> = {
  'openai-chat': {
    stream: (body) => readCompletion(wholeOf('openai-chat', body)),
    whole: (body) => readCompletion(JSON.parse(body)),
  },
  'anthropic-messages': {
    stream: (body) => {
      const { content, stop_reason: finish, usage, openBlocks } = assembleAnthropic(body)
      if (openBlocks > 0) throw new Error('a block was not closed')
      return { ...readBlocks(content), finish, usage }
    },
    whole: (body) => {
      const message: unknown = JSON.parse(body)
      if (!isRecord(message) || !Array.isArray(message['content'])) throw new Error('no message')
      const { stop_reason: finish, usage } = message
      return { ...readBlocks(message['content'].filter(isRecord)), finish, usage }
    },
  },
  'openai-responses': {
    stream: (body) => readResponse(wholeOf('openai-responses', body)),
    whole: (body) => readResponse(JSON.parse(body)),
  },
  gemini: {
    stream: (body) => readContent(wholeOf('gemini', body)),
    whole: (body) => readContent(JSON.parse(body)),
  },
}

function wholeOf(dialect: DialectId, body: string): unknown {
  const collector = dialects[dialect].answer.whole.collect()
  collector.push(body)
  return collector.end()?.value
}

function readCompletion(completion: unknown): Read {
  if (!isRecord(completion) || !Array.isArray(completion['choices'])) throw new Error('no completion')
  const choice: unknown = completion['choices'][0]
  const message = isRecord(choice) ? choice['message'] : undefined
  if (!isRecord(choice) || !isRecord(message)) throw new Error('no message')
  const calls: unknown[] = Array.isArray(message['tool_calls']) ? message['tool_calls'] : []
  const shown = calls.flatMap((call) => {
    const fn = isRecord(call) ? call['function'] : undefined
    return isRecord(fn) ? [`${String(fn['name'])} ${String(fn['arguments'])}`] : []
  })
  const { finish_reason: finish } = choice
  const text = message['content']
  return {
    text: typeof text === 'string' ? text : '',
    // No client runs the calls of an answer that was cut.
    calls: finish === 'length' ? [] : shown,
    finish,
    usage: completion['usage'],
  }
}

function readResponse(response: unknown): Read {
  if (!isRecord(response) || !Array.isArray(response['output'])) throw new Error('no response')
  const items: readonly unknown[] = response['output']
  const parts = items
    .filter(isRecord)
    .flatMap(({ type, content }) => (type === 'message' && Array.isArray(content) ? content : []))
  return {
    text: parts.map((part: unknown) => (isRecord(part) ? String(part['text']) : '')).join(''),
    calls: items
      .filter(isRecord)
      .flatMap((item) =>
        item['type'] === 'function_call' ? [`${String(item['name'])} ${String(item['arguments'])}`] : [],
      ),
    finish: response['status'],
    usage: response['usage'],
  }
}

function readContent(answer: unknown): Read {
  if (!isRecord(answer) || !Array.isArray(answer['candidates'])) throw new Error('no candidates')
  const candidate: unknown = answer['candidates'][0]
  const content = isRecord(candidate) ? candidate['content'] : undefined
  if (!isRecord(candidate) || !isRecord(content) || !Array.isArray(content['parts']))
    throw new Error('no parts')
  const parts = content['parts'].filter(isRecord)
  return {
    text: parts
      .map(({ text, thought }) => (typeof text === 'string' && thought !== true ? text : ''))
      .join(''),
    calls: parts.flatMap(({ functionCall: call }) =>
      isRecord(call) ? [`${String(call['name'])} ${JSON.stringify(call['args'])}`] : [],
    ),
    finish: candidate['finishReason'],
    usage: answer['usageMetadata'],
  }
}

function readBlocks(blocks: readonly Record<string, unknown>[]): Pick<Read, 'text' | 'calls'> {
  return {
    text: blocks.map(({ type, text }) => (type === 'text' ? String(text) : '')).join(''),
    calls: blocks.flatMap(({ type, name, input }) =>
      type === 'tool_use' ? [`${String(name)} ${JSON.stringify(input ?? {})}`] : [],
    ),
  }
}
