import type { RepairCode } from '../../problems.ts'
import { isBlank } from '../../text/space.ts'
import type { SchemaView } from './schema-view.ts'
import type { JsonType } from '../tool-set.ts'
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
