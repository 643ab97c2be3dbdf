import { gapOf, isPlainlyWritten, KnownEvents } from '../../../answer/known-events.ts'
import { nonEmptyText, objectIn } from '../../../json/objects.ts'
import type { Wire } from './decode.ts'

/** Deltas of one block of text that differ in what they say and in nothing else. They need not be parsed. */
export class PlainDeltas extends KnownEvents {
  taken = 0

  /** To be told of a delta that was read in the ordinary way, and after which the next may be taken as it is. */
  learnFrom({ data, event }: Wire): void {
    const delta = objectIn(data, 'delta')
    const text = delta['type'] === 'text_delta' ? nonEmptyText(delta['text']) : null
    const gap = text === null || !isPlainlyWritten(event) ? null : gapOf(event.source, 'text', text)
    if (gap !== null) this.learn(event.source, [gap])
  }
}
