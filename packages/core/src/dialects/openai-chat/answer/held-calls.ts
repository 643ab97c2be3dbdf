import type { CallDelivery } from '../../../answer/calls/order.ts'
import {
  equalJsonTexts,
  isJsonObject,
  nonEmptyText,
  parseJson,
  type JsonObject,
} from '../../../json/objects.ts'

/** A call that the model wrote in its text. */
export interface InBandCall {
  readonly name: string
  readonly json: string
}

/**
 * Structured calls that came after a call in the text. Servers that read calls themselves, and leak the text as
 * well, send each call twice; passed on at once, the tool would run twice. And all of them, where only whole calls
 * are wanted.
 */
export class HeldCalls {
  private readonly calls = new Map<unknown, HeldCall>()
  /** Characters of arguments. */
  length = 0

  /** Takes entries as `StructuredCalls` completed them. */
  hold(entries: readonly unknown[]): void {
    for (const entry of entries) {
      if (!isJsonObject(entry)) continue
      const fn = isJsonObject(entry['function']) ? entry['function'] : {}
      const call = this.calls.get(entry['index']) ?? { first: entry, fn, name: '', pieces: [] }
      this.calls.set(entry['index'], call)
      call.name ||= nonEmptyText(fn['name']) ?? ''
      const json = nonEmptyText(fn['arguments']) ?? ''
      call.pieces.push(json)
      this.length += json.length
    }
  }

  /** The calls that the text did not hold, numbered from `firstIndex`; and the indexes of those it did. */
  release(inBand: readonly InBandCall[], firstIndex: number, delivery: CallDelivery): ReleasedCalls {
    const unmatched = [...inBand]
    const calls: JsonObject[] = []
    const dropped = new Set<unknown>()
    for (const [heldIndex, { first, fn, name, pieces }] of this.calls) {
      const text = pieces.join('')
      // Half a call of a model that was stopped.
      if (delivery === 'complete' && parseJson(text) === undefined) continue
      const json = text.trim() === '' ? '{}' : text
      const twin = unmatched.findIndex((call) => call.name === name && equalJsonTexts(call.json, json))
      if (twin === -1) {
        const index = firstIndex + calls.length
        calls.push({ ...first, index, function: { ...fn, name, arguments: json } })
      } else {
        unmatched.splice(twin, 1)
        dropped.add(heldIndex)
      }
    }
    return { calls, dropped }
  }
}

export interface ReleasedCalls {
  readonly calls: readonly JsonObject[]
  /** As they were when they were held. */
  readonly dropped: ReadonlySet<unknown>
}

interface HeldCall {
  readonly first: JsonObject
  readonly fn: JsonObject
  name: string
  readonly pieces: string[]
}
