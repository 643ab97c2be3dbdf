import { createSseDecoder } from '@dragoman/core'

export type ClientDialect = 'anthropic' | 'openai'

export const clientDialects: readonly ClientDialect[] = ['anthropic', 'openai']

export const paths: Readonly<Record<ClientDialect, string>> = {
  anthropic: '/v1/messages',
  openai: '/v1/chat/completions',
}

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** A request for the weather in Paris, with a tool for it. */
export function weatherRequest(dialect: ClientDialect, more: object = {}): object {
  const tool =
    dialect === 'anthropic'
      ? { name: 'get_weather', input_schema: schema }
      : { type: 'function', function: { name: 'get_weather', parameters: schema } }
  return {
    model: 'kimi-k2',
    ...(dialect === 'anthropic' ? { max_tokens: 1000 } : {}),
    messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
    tools: [tool],
    stream: true,
    ...more,
  }
}

export function post(
  address: string,
  path: string,
  body: unknown,
  init: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`${address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  })
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** The JSON of the body, or of the last event. */
  readonly last: unknown
  readonly text: string
  readonly comments: number
  readonly pings: number
  readonly error:
    | { readonly type: string; readonly code: string | number | undefined; readonly message: string }
    | undefined
  /** How the answer says that it is whole: `end_turn`, `tool_calls`… */
  readonly finish: string | undefined
  /** `message_stop` or `[DONE]`. */
  readonly isMarkedDone: boolean
  /** Whether a call of a tool is in it. */
  readonly hasCall: boolean
}

export async function ask(
  address: string,
  dialect: ClientDialect,
  more: object = {},
  init: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return readAnswer(await post(address, paths[dialect], weatherRequest(dialect, more), init))
}

export async function readAnswer(response: Response): Promise<Answer> {
  const body = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const decoder = createSseDecoder()
  const items = isStream ? [...decoder.push(body), ...decoder.end()] : []
  const data = items.flatMap((item) => (item.kind === 'event' ? [item.data] : []))
  const values = isStream ? data.filter((each) => each !== '[DONE]').map(parsed) : [parsed(body)]
  const error = values.map((value) => at(value, 'error')).find((value) => value !== undefined)
  return {
    status: response.status,
    headers: response.headers,
    body,
    last: values.at(-1),
    text: values.map(textOf).join(''),
    comments: items.filter(({ kind }) => kind === 'comment').length,
    pings: items.filter((item) => item.kind === 'event' && item.event === 'ping').length,
    error:
      error === undefined
        ? undefined
        : {
            type: String(at(error, 'type')),
            code: optionalCode(at(error, 'code')),
            message: String(at(error, 'message')),
          },
    finish: values.map(finishOf).find((reason) => reason !== undefined),
    isMarkedDone:
      data.includes('[DONE]') || items.some((item) => item.kind === 'event' && item.event === 'message_stop'),
    hasCall: body.includes('"tool_use"') || body.includes('"tool_calls":['),
  }
}

/** One after the other. */
export async function inTurn<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  await items.reduce(async (before, item) => {
    await before
    await run(item)
  }, Promise.resolve())
}

/** The value at a path of names and indexes, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found: unknown = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Object.getOwnPropertyDescriptor(found, key)?.value
  }
  return found
}

function optionalCode(value: unknown): string | number | undefined {
  return typeof value === 'number' ? value : optionalText(value)
}

function textOf(value: unknown): string {
  const found = [
    at(value, 'choices', 0, 'delta', 'content'),
    at(value, 'choices', 0, 'message', 'content'),
    at(value, 'delta', 'text'),
    at(value, 'content', 0, 'text'),
  ]
  return found.map((text) => optionalText(text) ?? '').join('')
}

function finishOf(value: unknown): string | undefined {
  const reason =
    at(value, 'choices', 0, 'finish_reason') ?? at(value, 'delta', 'stop_reason') ?? at(value, 'stop_reason')
  return optionalText(reason)
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
