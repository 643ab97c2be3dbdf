import { z } from 'zod'
import type { Path } from './origin.ts'
import { configSchema } from './schema.ts'

export interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly default?: unknown
  readonly $ref?: string
  readonly definitions?: Readonly<Record<string, JsonSchema>>
  readonly [keyword: string]: unknown
}

/** The configuration as a JSON schema, for editors. */
export function configJsonSchema(): JsonSchema {
  const schema: unknown = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-7' })
  return { title: 'Configuration of Dragoman', ...(isSchema(schema) ? schema : {}) }
}

export interface ConfigKey {
  /** Such as `listen.port`, `keys[].name`, `upstreams.*.url`. */
  readonly path: string
  readonly default: unknown
}

/** Every key that the configuration knows, sections before what is in them. */
export function configKeys(): readonly ConfigKey[] {
  const root = configJsonSchema()
  const keys: ConfigKey[] = []
  const visit = (schema: JsonSchema, prefix: string): void => {
    for (const [key, child] of childrenOf(schema)) {
      const path = prefix === '' ? key : `${prefix}.${key}`
      keys.push({ path, default: child.default })
      const { items, ...rest } = dereferenced(child, root)
      if (items === undefined) visit(rest, path)
      else visit(dereferenced(items, root), `${path}[]`)
    }
  }
  visit(root, '')
  return keys
}

/** The keys that may stand at a path of a configuration. */
export function knownKeysAt(path: Path): readonly string[] {
  const root = configJsonSchema()
  const found = path.reduce<JsonSchema>((schema, key) => {
    const children = new Map(childrenOf(schema))
    const child = typeof key === 'number' ? schema.items : (children.get(key) ?? children.get('*'))
    return joined(dereferenced(child ?? {}, root), root)
  }, root)
  return Object.keys(found.properties ?? {})
}

/** What may be of several shapes has the keys and the items of all of them. */
function joined(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const shapes: readonly JsonSchema[] =
    schema.anyOf?.map((each) => joined(dereferenced(each, root), root)) ?? []
  const lists = shapes.flatMap(({ items }) => (items === undefined ? [] : [items]))
  return {
    ...schema,
    ...(shapes.length > 0 && {
      properties: Object.assign({}, ...shapes.map(({ properties }) => properties)),
    }),
    ...(lists.length > 0 && { items: { anyOf: lists } }),
  }
}

function childrenOf({ properties, additionalProperties }: JsonSchema): (readonly [string, JsonSchema])[] {
  const others = isSchema(additionalProperties) ? [['*', additionalProperties] as const] : []
  return [...Object.entries(properties ?? {}), ...others]
}

function dereferenced(schema: JsonSchema, { definitions }: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema
  return definitions?.[schema.$ref.replace('#/definitions/', '')] ?? {}
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
