import type { RepairCode } from '../../problems.ts'
import { isBlank } from '../../text/space.ts'
import { branchesOf, collectTypes, follow, isRecord, type JsonType } from '../tool-set.ts'
import { type TypedValue, typeValue } from '../untyped-value.ts'

/** An element as it was written: text, or elements in it, or both. */
export interface Element {
  readonly name: string
  text: string
  readonly children: Element[]
}

/**
 * An element as JSON. Elements do not say whether they are objects, arrays or plain values: the schema does,
 * and where it is silent, elements that are all called `item` make an array and others an object.
 */
export function elementJson(element: Element, schema: SchemaView, itemName: string): TypedValue {
  const types = schema.types()
  if (element.children.length === 0) return leafJson(element.text, types)
  const isArray = types.has('array') && !types.has('object')
  const mayBeArray = types.size === 0 || types.has('array')
  const hasItems = element.children.every((child) => child.name === itemName)
  return isArray || (mayBeArray && hasItems)
    ? arrayJson(element, schema, itemName)
    : objectJson(element, schema, itemName)
}

function leafJson(text: string, types: ReadonlySet<JsonType>): TypedValue {
  const isEmptyList = types.has('array') && !types.has('object') && !types.has('string') && isBlank(text)
  return isEmptyList ? { json: '[]' } : typeValue(text, types)
}

function arrayJson(element: Element, schema: SchemaView, itemName: string): TypedValue {
  const items = element.children.map((child, index) => elementJson(child, schema.item(index), itemName))
  const text = isBlank(element.text) ? [] : [{ json: JSON.stringify(element.text) }]
  const all = [...text, ...items]
  return joined(all, `[${all.map(({ json }) => json).join(',')}]`)
}

function objectJson(element: Element, schema: SchemaView, itemName: string): TypedValue {
  const members = new Map<string, TypedValue>()
  if (!isBlank(element.text)) members.set('$text', { json: JSON.stringify(element.text) })
  for (const [name, same] of groupByName(element.children)) {
    const property = schema.property(name)
    const types = property.types()
    // An array may be written as the same element again and again; where it cannot be one, the last counts.
    const isList = same.length > 1 && (types.size === 0 || types.has('array'))
    const value = isList
      ? arrayJson({ name, text: '', children: same }, property, itemName)
      : elementJson(same.at(-1) ?? element, property, itemName)
    members.set(name, same.length > 1 && !isList ? { ...value, mismatch: true } : value)
  }
  const json = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value.json}`).join(',')
  return joined([...members.values()], `{${json}}`)
}

function groupByName(elements: readonly Element[]): Map<string, Element[]> {
  const groups = new Map<string, Element[]>()
  for (const element of elements) {
    const known = groups.get(element.name)
    if (known === undefined) groups.set(element.name, [element])
    else known.push(element)
  }
  return groups
}

function joined(parts: readonly TypedValue[], json: string): TypedValue {
  const repairs = new Set<RepairCode>(parts.flatMap((part) => [...(part.repairs ?? [])]))
  return { json, repairs, mismatch: parts.some((part) => part.mismatch === true) }
}

/** One place in a tool's JSON schema: what may stand there, and what lies below it. */
export class SchemaView {
  private readonly schema: unknown
  /** The whole document, which references point into. */
  private readonly root: unknown

  constructor(schema: unknown, root: unknown = schema) {
    this.schema = schema
    this.root = root
  }

  /** Every type that is allowed; empty where the schema says nothing. */
  types(): ReadonlySet<JsonType> {
    const types = new Set<JsonType>()
    collectTypes(this.schema, this.root, types)
    return types
  }

  property(name: string): SchemaView {
    const parts = this.parts()
    for (const part of parts) {
      const properties = part['properties']
      if (isRecord(properties) && Object.hasOwn(properties, name)) return this.below(properties[name])
    }
    return this.below(parts.map((part) => part['additionalProperties']).find(isRecord))
  }

  item(index: number): SchemaView {
    for (const part of this.parts()) {
      const fixed = part['prefixItems']
      if (Array.isArray(fixed) && index < fixed.length) return this.below(fixed[index])
      if (isRecord(part['items'])) return this.below(part['items'])
    }
    return this.below(undefined)
  }

  private below(schema: unknown): SchemaView {
    return new SchemaView(schema, this.root)
  }

  /** The schema and all that it is combined of. Schemas refer to themselves: each is looked at once. */
  private parts(): Record<string, unknown>[] {
    const found = new Set<Record<string, unknown>>()
    const open: unknown[] = [this.schema]
    for (let part = open.pop(); part !== undefined || open.length > 0; part = open.pop()) {
      if (!isRecord(part) || found.has(part)) continue
      found.add(part)
      open.push(...branchesOf(part).toReversed())
      if (typeof part['$ref'] === 'string') open.push(follow(part['$ref'], this.root))
    }
    return [...found]
  }
}
