import { isJsonObject, type JsonObject } from '../../json/objects.ts'
import { camelCased } from './spelling.ts'

/**
 * The dialect's own kind of schema as JSON Schema: it writes types in capitals and limits as text, and has a field for
 * values that may be null. A schema that is JSON Schema already stays what it is.
 */
export function jsonSchemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchemaOf)
  if (!isJsonObject(schema)) return schema
  const read: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(camelCased(schema))) {
    if (ownKeywords.has(key) || (key === 'format' && value === 'enum')) continue
    const said = keywordValue(key, value)
    if (said !== undefined) read[key] = said
  }
  return schema['nullable'] === true ? orNull(read) : read
}

const ownKeywords = new Set(['nullable', 'propertyOrdering'])
const schemasByName = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
const subschemas = new Set([
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'additionalProperties',
  'contains',
])
const limits = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
])

function keywordValue(key: string, value: unknown): unknown {
  if (schemasByName.has(key) && isJsonObject(value)) return eachByName(value, jsonSchemaOf)
  if (subschemas.has(key)) return jsonSchemaOf(value)
  if (key === 'type') return typeWord(value)
  const isNumber = limits.has(key) && typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)
  return isNumber ? Number(value) : value
}

function typeWord(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typeWord)
  if (typeof value !== 'string') return value
  const word = value.toLowerCase()
  return word === 'type_unspecified' ? undefined : word
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = schema
  const withNull = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}
  if (typeof type === 'string' && type !== 'null') return { ...schema, type: [type, 'null'], ...withNull }
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  return { ...schema, ...withNull }
}

/** The names in a schema are the tool's own, whatever keyword they look like. */
function eachByName(schemas: JsonObject, change: (schema: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]))
}

/**
 * JSON Schema as the field `parameters` takes it, which knows a small part of it and refuses the rest: references are
 * replaced by what they refer to, unions are written in the one way that it knows, and what has no place is left out.
 * Undefined for a tool without parameters: it refuses an object without any.
 */
export function openApiSchemaOf(schema: unknown): JsonObject | undefined {
  const clean = new SchemaCleaner(schema).clean(schema, [])
  const { properties } = clean
  const isEmpty = clean['type'] === 'object' && (!isJsonObject(properties) || isEmptyObject(properties))
  return isEmpty || isEmptyObject(clean) ? undefined : clean
}

function isEmptyObject(object: object): boolean {
  return Object.keys(object).length === 0
}

class SchemaCleaner {
  readonly #root: unknown
  /** References that are replaced copy what they refer to, and copies of copies would fill the memory. */
  #copies = 0

  constructor(root: unknown) {
    this.#root = root
  }

  /** `within`: the references that led here. One that leads back to itself is cut. */
  clean(given: unknown, within: readonly string[]): JsonObject {
    if (!isJsonObject(given)) return {}
    const reference = given['$ref']
    if (typeof reference === 'string') return this.#referred(given, reference, within)
    const schema = withoutAllOf(given)
    const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => plainKeywords.has(key)))
    const clean: Record<string, unknown> = { ...kept, ...cleanFormat(schema) }
    this.#addProperties(clean, schema, within)
    this.#addItems(clean, schema, within)
    return { ...withType(clean, schema, this.#union(schema, within)), ...cleanEnum(schema) }
  }

  /**
   * The variants of a schema. One that has properties of its own is what these say: its variants only tell which of them
   * belong together, and an object has no place for that here.
   */
  #union(schema: JsonObject, within: readonly string[]): JsonObject[] {
    const variants = schema['anyOf'] ?? schema['oneOf']
    if (!Array.isArray(variants) || isJsonObject(schema['properties'])) return []
    const [type, ...others] = typesIn(schema['type'])
    const shared = type === undefined || others.length > 0 ? {} : { type }
    return variants.flatMap((each: unknown): JsonObject[] => {
      const variant = this.clean(each, within)
      if (isEmptyObject(variant)) return []
      return ['anyOf' in variant || isNull(variant) ? variant : { ...shared, ...variant }]
    })
  }

  #referred(schema: JsonObject, reference: string, within: readonly string[]): JsonObject {
    const { description } = schema
    const about = typeof description === 'string' ? { description } : {}
    const isCut = within.includes(reference) || this.#copies++ > MOST_COPIES
    if (isCut) return { type: 'object', ...about }
    return { ...this.clean(this.#at(reference), [...within, reference]), ...about }
  }

  #at(reference: string): unknown {
    const [start, ...path] = reference.split('/')
    if (start !== '#') return undefined
    return path.reduce<unknown>((at, step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      return isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
    }, this.#root)
  }

  #addProperties(clean: Record<string, unknown>, schema: JsonObject, within: readonly string[]): void {
    const { properties, required } = schema
    if (!isJsonObject(properties)) return
    if (!isEmptyObject(properties)) {
      clean['properties'] = eachByName(properties, (each) => this.clean(each, within))
    }
    const names = Array.isArray(required)
      ? required.filter((name: unknown) => typeof name === 'string' && Object.hasOwn(properties, name))
      : []
    if (names.length > 0) clean['required'] = names
  }

  /** An array has to say what is in it. */
  #addItems(clean: Record<string, unknown>, schema: JsonObject, within: readonly string[]): void {
    const { items, prefixItems, type } = schema
    const tuple: unknown = Array.isArray(items) ? items : prefixItems
    if (Array.isArray(tuple) && tuple.length > 0) {
      const each = tuple.map((item: unknown) => this.clean(item, within))
      clean['items'] = each.length === 1 ? each[0] : { anyOf: each }
    } else if (isJsonObject(items)) clean['items'] = this.clean(items, within)
    else if (typesIn(type).includes('array')) clean['items'] = { type: 'string' }
  }
}

const MOST_COPIES = 500

const plainKeywords = new Set([
  'description',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
])

/** Others are refused. */
const knownFormats = new Set(['date-time', 'float', 'double', 'int32', 'int64'])

function cleanFormat({ format }: JsonObject): JsonObject {
  return typeof format === 'string' && knownFormats.has(format) ? { format } : {}
}

function typesIn(type: unknown): string[] {
  const types: unknown[] = Array.isArray(type) ? type : [type]
  return types.flatMap((each) => (typeof each === 'string' ? [each.toLowerCase()] : []))
}

/** One type, a union, and beside either whether there may be null. Beside a union nothing else may be said of the value. */
function withType(clean: JsonObject, schema: JsonObject, union: readonly JsonObject[]): JsonObject {
  const types = typesIn(schema['type'])
  const named = types.filter((type) => type !== 'null')
  const variants = union.filter((variant) => !isNull(variant))
  const mayBeNull = named.length < types.length || variants.length < union.length
  const nullable = mayBeNull || schema['nullable'] === true ? { nullable: true } : {}
  const { description } = clean
  const described = description === undefined ? {} : { description }
  if (variants.length === 1) return { ...clean, ...variants[0], ...nullable, ...described }
  if (variants.length > 1) return { ...described, anyOf: variants, ...nullable }
  if (named.length > 1) {
    return { ...described, anyOf: named.map((each) => unionMember(each, clean)), ...nullable }
  }
  const [type = impliedType(schema)] = named
  return { ...clean, ...(type === undefined ? {} : { type }), ...nullable }
}

function isNull(variant: JsonObject): boolean {
  return variant['nullable'] === true && Object.keys(variant).length === 1
}

/** What a schema of several types says of a value of this one. */
function unionMember(type: string, clean: JsonObject): JsonObject {
  const own = keywordsOf[type] ?? []
  return { type, ...Object.fromEntries(Object.entries(clean).filter(([keyword]) => own.includes(keyword))) }
}

const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'format'],
  integer: ['minimum', 'maximum', 'format'],
}

function impliedType(schema: JsonObject): string | undefined {
  return isJsonObject(schema['properties']) ? 'object' : undefined
}

/** Values to choose from are texts; a number among them is written as one. */
function cleanEnum(schema: JsonObject): JsonObject {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  if (!Array.isArray(values)) return {}
  const said = values.filter((value: unknown) => value !== null && value !== '')
  const nullable = values.includes(null) ? { nullable: true } : {}
  if (said.length === 0) return nullable
  const texts = said.map((value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return { type: 'string', format: 'enum', enum: [...new Set(texts)], ...nullable }
}

/** A schema that several have to hold for, as one: of what two of them say, the later counts. */
function withoutAllOf(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const whole: Record<string, unknown> = {}
  for (const part of [...allOf.filter(isJsonObject).map(withoutAllOf), rest]) {
    Object.assign(whole, part, joinedProperties(whole, part))
  }
  return whole
}

function joinedProperties(a: JsonObject, b: JsonObject): JsonObject {
  const lists = [a['required'], b['required']].filter((list) => Array.isArray(list))
  const maps = [a['properties'], b['properties']].filter(isJsonObject)
  return {
    ...(lists.length === 0 ? {} : { required: [...new Set(lists.flat())] }),
    ...(maps.length === 0 ? {} : { properties: Object.assign({}, ...maps) }),
  }
}
