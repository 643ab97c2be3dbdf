import { isJsonObject, type JsonObject } from '../../../json/objects.ts'

/** How the values that one field has in many deltas add up: texts and lists grow, objects field by field. */
export type FieldRule = 'text' | 'list' | FieldRules
export interface FieldRules {
  readonly [field: string]: FieldRule
}

type Slot =
  | { readonly is: 'value'; value: unknown }
  | { readonly is: 'list'; readonly items: unknown[] }
  | { readonly is: 'object'; readonly fields: CollectedFields }

/**
 * The fields of an object that comes in deltas. Of a field without a rule the last value counts; null and the
 * empty text say nothing, and replace none.
 */
export class CollectedFields {
  private readonly rules: FieldRules
  private readonly slots = new Map<string, Slot>()

  constructor(rules: FieldRules) {
    this.rules = rules
  }

  add(delta: JsonObject): void {
    for (const [field, value] of Object.entries(delta)) {
      // A field may be called `constructor`: looked up without care, it would have a rule.
      const rule = Object.hasOwn(this.rules, field) ? this.rules[field] : undefined
      if (!grows(this.slots.get(field), rule, value)) this.replace(field, rule, value)
    }
  }

  whole(): JsonObject {
    return Object.fromEntries([...this.slots].map(([field, slot]) => [field, valueOf(slot)]))
  }

  private replace(field: string, rule: FieldRule | undefined, value: unknown): void {
    const slot = this.slots.get(field)
    if (slot !== undefined && (value === null || value === '')) return
    this.slots.set(field, newSlot(slot, rule, value))
  }
}

/** Adds the value to what came before, where the rule and both of them allow it. */
function grows(slot: Slot | undefined, rule: FieldRule | undefined, value: unknown): boolean {
  if (slot === undefined || rule === undefined) return false
  if (slot.is === 'list') {
    if (typeof value === 'string') addText(slot.items, value)
    else if (Array.isArray(value)) for (const item of value) slot.items.push(item)
    return typeof value === 'string' || Array.isArray(value)
  }
  if (slot.is === 'object') {
    if (isJsonObject(value)) slot.fields.add(value)
    return isJsonObject(value)
  }
  if (rule !== 'text' || typeof slot.value !== 'string' || typeof value !== 'string') return false
  slot.value += value
  return true
}

function newSlot(before: Slot | undefined, rule: FieldRule | undefined, value: unknown): Slot {
  if (typeof rule === 'object' && isJsonObject(value)) {
    const fields = new CollectedFields(rule)
    fields.add(value)
    return { is: 'object', fields }
  }
  if ((rule !== 'text' && rule !== 'list') || !Array.isArray(value)) return { is: 'value', value }
  const items: unknown[] = []
  if (before?.is === 'value' && typeof before.value === 'string') addText(items, before.value)
  for (const item of value) items.push(item)
  return { is: 'list', items }
}

/** Content may come as parts here and as plain text there: the whole of it is parts. */
function addText(items: unknown[], text: string): void {
  if (text === '') return
  const last = items.at(-1)
  if (isJsonObject(last) && last['type'] === 'text' && typeof last['text'] === 'string') {
    items[items.length - 1] = { ...last, text: last['text'] + text }
  } else {
    items.push({ type: 'text', text })
  }
}

function valueOf(slot: Slot): unknown {
  if (slot.is === 'value') return slot.value
  return slot.is === 'list' ? slot.items : slot.fields.whole()
}
