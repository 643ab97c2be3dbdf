import { isJsonObject, type JsonObject } from './json.ts'
import type { PhraseKind, Phrases } from './phrases.ts'
import { wholeNumber, type Random } from './random.ts'

/** Makes arguments that fit a JSON schema, from the user's words where they offer something. */
export function fillSchema(schema: JsonObject, phrases: Phrases, random: Random): JsonObject {
  return new SchemaFiller(schema, phrases, random).object(schema, 0)
}

/** The deepest nesting, as a schema may refer to itself. */
const deepest = 8

class SchemaFiller {
  readonly #root: JsonObject
  readonly #phrases: Phrases
  readonly #random: Random

  constructor(root: JsonObject, phrases: Phrases, random: Random) {
    this.#root = root
    this.#phrases = phrases
    this.#random = random
  }

  object(schema: JsonObject, depth: number): JsonObject {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
    const names = Object.keys(properties)
    const required = Array.isArray(schema['required'])
      ? schema['required'].filter((name): name is string => typeof name === 'string')
      : []
    // A call without arguments would show nothing, so the first property is filled where none is required.
    const wanted = required.length > 0 || depth > 0 ? required : names.slice(0, 1)
    return Object.fromEntries(
      wanted.map((name) => {
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined
        return [name, this.#value(name, property, depth + 1)]
      }),
    )
  }

  #value(name: string, given: unknown, depth: number): unknown {
    const schema = this.#resolve(isJsonObject(given) ? given : {}, depth)
    if ('const' in schema) return schema['const']
    if (Array.isArray(schema['enum']) && schema['enum'].length > 0) return this.#choice(schema['enum'])
    switch (typeOf(schema)) {
      case 'object':
        return depth > deepest ? {} : this.object(schema, depth)
      case 'array':
        return depth > deepest ? [] : this.#array(name, schema, depth)
      case 'integer':
        return this.#number(schema, true)
      case 'number':
        return this.#number(schema, false)
      case 'boolean':
        return schema['default'] === true
      case 'null':
        return null
      default:
        return this.#string(name, schema)
    }
  }

  /** Follows references and takes the first alternative that is not null. */
  #resolve(schema: JsonObject, depth: number): JsonObject {
    if (depth > deepest) return schema
    const reference = schema['$ref']
    if (typeof reference === 'string') return this.#resolve(this.#referred(reference), depth + 1)
    const alternatives = schema['anyOf'] ?? schema['oneOf']
    if (Array.isArray(alternatives)) {
      const usable = alternatives.filter(isJsonObject).find((each) => each['type'] !== 'null')
      if (usable !== undefined) return this.#resolve(usable, depth + 1)
    }
    const parts = schema['allOf']
    if (!Array.isArray(parts)) return schema
    return parts
      .filter(isJsonObject)
      .reduce((whole, part) => merge(whole, this.#resolve(part, depth + 1)), schema)
  }

  #referred(reference: string): JsonObject {
    let at: unknown = this.#root
    for (const step of reference.replace(/^#\/?/, '').split('/')) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
    }
    return isJsonObject(at) ? at : {}
  }

  #choice(values: readonly unknown[]): unknown {
    const said = this.#phrases.text.toLowerCase()
    const named = values.find((value) => typeof value === 'string' && said.includes(value.toLowerCase()))
    return named ?? values[wholeNumber(this.#random, 0, values.length - 1)]
  }

  #array(name: string, schema: JsonObject, depth: number): unknown[] {
    const least = numberIn(schema, 'minItems') ?? 1
    const most = numberIn(schema, 'maxItems') ?? least
    const length = Math.min(Math.max(least, 1), most, 20)
    return Array.from({ length }, () => this.#value(name, schema['items'], depth + 1))
  }

  #number(schema: JsonObject, isInteger: boolean): number {
    const step = numberIn(schema, 'multipleOf') ?? (isInteger ? 1 : 0.5)
    const above = numberIn(schema, 'exclusiveMinimum')
    const below = numberIn(schema, 'exclusiveMaximum')
    const low = numberIn(schema, 'minimum') ?? (above === undefined ? undefined : above + step)
    const high = numberIn(schema, 'maximum') ?? (below === undefined ? undefined : below - step)
    const said = Number(this.#phrases.take(['number']))
    if (said % step === 0 && said >= (low ?? said) && said <= (high ?? said)) return said
    const from = Math.ceil((low ?? (high === undefined ? 1 : high - 9 * step)) / step)
    const to = Math.max(from, Math.floor((high ?? (from + 9) * step) / step))
    return wholeNumber(this.#random, from, to) * step
  }

  #string(name: string, schema: JsonObject): string {
    const meaning = meanings.find(({ property }) => property.test(name)) ?? anything
    const text = this.#phrases.take(meaning.phrases) ?? textIn(schema) ?? meaning.otherwise
    const least = numberIn(schema, 'minLength') ?? 0
    const most = numberIn(schema, 'maxLength') ?? Math.max(text.length, least)
    return text.padEnd(Math.min(least, 10_000), 'x').slice(0, most)
  }
}

interface Meaning {
  readonly property: RegExp
  readonly phrases: readonly PhraseKind[]
  readonly otherwise: string
}

/** The values that properties with such names usually hold. */
const meanings: readonly Meaning[] = [
  { property: /dir|folder|cwd/i, phrases: ['path'], otherwise: '.' },
  { property: /path|file/i, phrases: ['path', 'quote'], otherwise: 'README.md' },
  { property: /url|uri|link|href/i, phrases: ['url'], otherwise: 'https://example.com/' },
  { property: /mail|recipient/i, phrases: ['email'], otherwise: 'ada@example.com' },
  {
    property: /city|location|place|town|country|destination|origin/i,
    phrases: ['place', 'quote'],
    otherwise: 'Paris',
  },
  { property: /command|cmd|script|code/i, phrases: ['command'], otherwise: 'echo simulated' },
  { property: /date|day/i, phrases: ['date'], otherwise: '2025-01-31' },
  { property: /zone|tz/i, phrases: [], otherwise: 'UTC' },
  { property: /description|reason|summary/i, phrases: [], otherwise: 'a simulated call' },
]

const anything: Meaning = { property: /./, phrases: ['quote', 'place', 'path'], otherwise: 'simulated' }

function typeOf(schema: JsonObject): unknown {
  const { type } = schema
  if (Array.isArray(type)) return type.find((each) => each !== 'null')
  if (type !== undefined) return type
  if ('properties' in schema) return 'object'
  return 'items' in schema ? 'array' : undefined
}

function textIn(schema: JsonObject): string | undefined {
  const [example]: readonly unknown[] = Array.isArray(schema['examples']) ? schema['examples'] : []
  return [schema['default'], example].find((value) => typeof value === 'string')
}

function numberIn(schema: JsonObject, key: string): number | undefined {
  const value = schema[key]
  return typeof value === 'number' ? value : undefined
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  return {
    ...one,
    ...other,
    properties: { ...objectIn(one, 'properties'), ...objectIn(other, 'properties') },
    required: [...listIn(one, 'required'), ...listIn(other, 'required')],
  }
}

function objectIn(schema: JsonObject, key: string): JsonObject {
  const value = schema[key]
  return isJsonObject(value) ? value : {}
}

function listIn(schema: JsonObject, key: string): readonly unknown[] {
  const value = schema[key]
  return Array.isArray(value) ? value : []
}
