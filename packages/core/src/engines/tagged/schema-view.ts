import { collectTypes, follow, isRecord, type JsonType } from '../tool-set.ts'

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
      for (const key of ['allOf', 'anyOf', 'oneOf']) {
        const branches = part[key]
        if (Array.isArray(branches)) open.push(...branches.toReversed())
      }
      if (typeof part['$ref'] === 'string') open.push(follow(part['$ref'], this.root))
    }
    return [...found]
  }
}
