import type { AnswerOutput } from '../../../answer/output.ts'
import { isJsonObject, type JsonObject, wordOf } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseEvent } from '../../../sse/items.ts'
import type { EventWriter } from './events.ts'
import { partKindOfEvent } from './parts.ts'
import type { Wire } from './read-items.ts'

/** Passes events of the upstream on, byte for byte unless something about them is another now. */
export class WirePasser {
  private readonly output: AnswerOutput
  private readonly events: EventWriter
  /** The event that has gone on last, if it went on as it came. */
  passed: SseEvent | null = null

  constructor(output: AnswerOutput, events: EventWriter) {
    this.output = output
    this.events = events
  }

  /** `changes`: the fields as they are to be. The answer is whether any of them was another. */
  pass({ data, event }: Wire, changes: JsonObject = {}): boolean {
    const { sequence_number: came } = data
    const number = typeof came === 'number' ? { sequence_number: this.events.next(came) } : {}
    const differing = Object.entries({ ...changes, ...number }).filter(
      ([field, value]) => !isEqual(data[field], value),
    )
    this.passed = differing.length === 0 ? event : null
    if (differing.length === 0) {
      this.output.event(event)
      return false
    }
    const changed = JSON.stringify({ ...data, ...Object.fromEntries(differing) })
    this.output.push(encodeSse({ ...event, data: changed }))
    return differing.some(([field]) => field !== 'sequence_number')
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  const isStructure = (isJsonObject(a) || Array.isArray(a)) && (isJsonObject(b) || Array.isArray(b))
  return isStructure && JSON.stringify(a) === JSON.stringify(b)
}

/** Some servers have a name of their own for an event; clients that do not know it fail. */
export function standard(wire: Wire): Wire {
  const name = standardNames.get(wire.data['type'])
  return name === undefined ? wire : renamed(wire, name)
}

const standardNames: ReadonlyMap<unknown, string> = new Map([
  ['response.reasoning_part.added', 'response.content_part.added'],
  ['response.reasoning_part.done', 'response.content_part.done'],
  ['response.reasoning.delta', 'response.reasoning_text.delta'],
  ['response.reasoning.done', 'response.reasoning_text.done'],
  ['response.reasoning_summary.delta', 'response.reasoning_summary_text.delta'],
  ['response.reasoning_summary.done', 'response.reasoning_summary_text.done'],
  ['response.done', 'response.completed'],
])

/** The same event under another name. */
export function renamed({ data, event }: Wire, type: string): Wire {
  const changed = { ...data, type }
  const source = encodeSse({ ...event, event: type, data: JSON.stringify(changed) })
  return { data: changed, event: { ...event, event: type, source, terminated: true } }
}

export function isEndOfResponse(type: unknown): boolean {
  return type === 'response.completed' || type === 'response.incomplete' || type === 'response.done'
}

/** Whether an event is about an item of the response. */
export function namesItem(data: JsonObject): boolean {
  const isOfItem = data['output_index'] !== undefined || data['item_id'] !== undefined
  const type = wordOf(data['type'])
  return isOfItem || data['item'] !== undefined || partKindOfEvent(type) !== null || argumentEvents.has(type)
}

const argumentEvents: ReadonlySet<string> = new Set([
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
])

export function isWire(item: unknown): item is Wire {
  return isJsonObject(item) && isJsonObject(item['data']) && isJsonObject(item['event'])
}
