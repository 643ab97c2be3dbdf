import type { AnswerOutput } from '../../../answer/output.ts'
import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { EventWriter } from './events.ts'
import type { Wire } from './reader.ts'

/** Passes events of the upstream on, byte for byte unless something about them is another now. */
export class WirePasser {
  private readonly output: AnswerOutput
  private readonly events: EventWriter

  constructor(output: AnswerOutput, events: EventWriter) {
    this.output = output
    this.events = events
  }

  /** `changes`: the fields as they are to be. The answer is whether any of them was another. */
  pass({ data, event }: Wire, changes: JsonObject = {}): boolean {
    const { sequence_number: came } = data
    const number = typeof came === 'number' ? { sequence_number: this.events.numberOf(came) } : {}
    const differing = Object.entries({ ...changes, ...number }).filter(
      ([field, value]) => !isEqual(data[field], value),
    )
    if (differing.length === 0) {
      this.output.event(event)
      return false
    }
    const changed = JSON.stringify({ ...data, ...Object.fromEntries(differing) })
    this.output.push(encodeSse({ ...event, data: changed }))
    return differing.some(([field]) => field !== 'sequence_number')
  }

  /** The event does not go on. */
  leaveOut({ data }: Wire): void {
    if (typeof data['sequence_number'] === 'number') this.events.leaveOut()
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  const isStructure = (isJsonObject(a) || Array.isArray(a)) && (isJsonObject(b) || Array.isArray(b))
  return isStructure && JSON.stringify(a) === JSON.stringify(b)
}
