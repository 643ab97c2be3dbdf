import { InvalidField } from '../../../json/fields.ts'
import { type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { AskedAt } from '../../dialect.ts'

/** What a request asks for: the dialect says it in the address, and not in the body. */
export interface AskedFor {
  readonly model: string
  readonly stream: boolean
}

/** Without an address, the model is the one that the body names. */
export function askedFor(asked: AskedAt | undefined, body: JsonObject): AskedFor {
  if (asked === undefined) return { model: modelIn(body), stream: false }
  // The name of a model may hold colons itself, and slashes. The first `models` is the collection, the last colon ends
  // the name.
  const [, name, method] = /^.*?\/models\/(.+):([^:/]+)$/s.exec(asked.path) ?? []
  if (name === undefined || method === undefined) {
    throw new InvalidField('path', 'must name a model and a method: /v1beta/models/{model}:generateContent')
  }
  const stream = streams.get(method)
  if (stream === undefined) throw new InvalidField('path', `${method} is no method that is served here`)
  return { model: unescaped(name), stream }
}

const streams: ReadonlyMap<string, boolean> = new Map([
  ['generateContent', false],
  ['streamGenerateContent', true],
  ['countTokens', false],
])

function modelIn({ model }: JsonObject): string {
  const name = nonEmptyText(model)?.replace(/^models\//, '') ?? ''
  if (name === '') throw new InvalidField('model', 'must be a non-empty string')
  return name
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
