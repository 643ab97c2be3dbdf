import { type Gap, gapOf, isPlainlyWritten, KnownEvents, numberGaps } from '../../../answer/known-events.ts'
import { nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import { partKinds } from './parts.ts'
import type { Wire } from './read-items.ts'

/** Deltas of one text that differ in what they say, and in numbers. They need not be parsed. */
export class PlainDeltas extends KnownEvents {
  /** Whether they are numbered. */
  areCounted = false
  taken = 0

  /** To be told of a delta that was read in the ordinary way, and has nothing about it that the next must not have. */
  learnFrom({ data, event }: Wire): void {
    const { source } = event
    const text = data['type'] === partKinds.output_text.delta ? nonEmptyText(data['delta']) : null
    const gap = text === null || !isPlainlyWritten(event) ? null : gapOf(source, 'delta', text)
    if (gap === null) return
    const numbers = numberGaps(source, /"sequence_number": ?/g, 'count')
    this.areCounted = numbers.length > 0
    const gaps = [gap, ...numbers, ...paddingIn(data, source)]
    this.learn(
      source,
      gaps.toSorted((a, b) => a.start - b.start),
    )
  }
}

/** Some servers make all events of one length, so that nobody can guess words by it. */
function paddingIn({ obfuscation }: JsonObject, source: string): Gap[] {
  const padding = nonEmptyText(obfuscation)
  const gap = padding === null ? null : gapOf(source, 'obfuscation', padding)
  return gap === null ? [] : [{ ...gap, holds: 'letters' }]
}
