import { at, paths, post, type ClientDialect } from '../server/ask.ts'
import { assembledMessage } from './assemble.ts'

export type Message = Readonly<Record<string, unknown>>

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const toolNames = ['get_weather', 'get_time']

/** A client of one dialect. It sends back what it was given, as it was given, and knows nothing of models. */
export class Client {
  messages: Message[] = []
  readonly dialect: ClientDialect
  readonly #address: string
  readonly #isStream: boolean
  readonly #more: object

  constructor(address: string, dialect: ClientDialect, isStream: boolean, more: object = {}) {
    this.#address = address
    this.dialect = dialect
    this.#isStream = isStream
    this.#more = more
  }

  say(text: string): void {
    this.messages.push({ role: 'user', content: text })
  }

  /** Sends the conversation to the model, adds its answer, and returns the calls in it. */
  async ask(model: string): Promise<readonly Call[]> {
    const response = await this.send(model)
    const body = await response.text()
    if (response.status !== 200) throw new Error(`${model}: ${response.status} ${body}`)
    const message = assembledMessage(this.dialect, this.#isStream, body)
    this.messages.push(message)
    return callsIn(message)
  }

  send(model: string): Promise<Response> {
    return post(this.#address, paths[this.dialect], {
      model,
      messages: this.messages,
      tools: toolNames.map((name) => toolIn(this.dialect, name)),
      stream: this.#isStream,
      ...(this.dialect === 'anthropic' ? { max_tokens: 8000 } : {}),
      ...this.#more,
    })
  }

  /** Adds a result for each of the calls. */
  answer(calls: readonly Call[]): void {
    const results = calls.map((call) => ({ call, text: resultOf(call) }))
    if (this.dialect === 'openai') {
      for (const { call, text } of results) {
        this.messages.push({ role: 'tool', tool_call_id: call.id, content: text })
      }
      return
    }
    const content = results.map(({ call, text }) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: text,
    }))
    this.messages.push({ role: 'user', content })
  }

  /** Asks until the model calls nothing; the k-th time, the k-th of the models. The last one goes on to the end. */
  async run(prompt: string, ...models: readonly [string, ...string[]]): Promise<number> {
    this.say(prompt)
    const go = async (round: number): Promise<number> => {
      const calls = await this.ask(models[round] ?? models.at(-1) ?? models[0])
      if (calls.length === 0) return round
      this.answer(calls)
      return go(round + 1)
    }
    return go(0)
  }
}

export const bothTools = 'Use get_weather and get_time in Paris and Oslo at once.'

function resultOf({ name, input }: Call): string {
  return `${name} in ${String(at(input, 'city'))}: <b>fine</b> & "so"\n#${crypto.randomUUID()}`
}

function toolIn(dialect: ClientDialect, name: string): object {
  return dialect === 'anthropic'
    ? { name, description: `Tells about ${name}.`, input_schema: schema }
    : { type: 'function', function: { name, description: `Tells about ${name}.`, parameters: schema } }
}

function callsIn(message: Message): Call[] {
  const calls = at(message, 'tool_calls')
  if (Array.isArray(calls)) {
    return calls.map((call: unknown) => ({
      id: String(at(call, 'id')),
      name: String(at(call, 'function', 'name')),
      input: JSON.parse(String(at(call, 'function', 'arguments'))),
    }))
  }
  const content = at(message, 'content')
  const blocks: unknown[] = Array.isArray(content) ? content : []
  return blocks
    .filter((block) => at(block, 'type') === 'tool_use')
    .map((block) => ({
      id: String(at(block, 'id')),
      name: String(at(block, 'name')),
      input: at(block, 'input'),
    }))
}
