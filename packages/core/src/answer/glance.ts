import type { JsonObject } from '../json/objects.ts'
import type { FinishReason } from './answer.ts'

/**
 * One thing that the JSON of an event, or of a whole answer, says. What has the same `key` belongs together; null stands
 * alone. `adds`: whether it goes on where the last left off, or repeats all of it from the start.
 */
export type GlancedPart =
  | {
      readonly is: 'text' | 'reasoning'
      readonly key: string
      readonly text: string
      readonly adds: 'more' | 'whole'
    }
  | {
      readonly is: 'call'
      readonly key: string | null
      readonly id: string | null
      readonly name: string | null
      readonly json: string
      readonly adds: 'more' | 'whole'
    }
  | { readonly is: 'end'; readonly reason: FinishReason | 'error' }

/** What a JSON object says in one dialect; null where it is no event and no answer of that dialect. */
export type Glance = (data: JsonObject) => readonly GlancedPart[] | null

/** The objects of a list; none where it is no list. */
export function objectsIn(list: unknown): JsonObject[] {
  if (!Array.isArray(list)) return []
  return list.filter((item: unknown): item is JsonObject => typeof item === 'object' && item !== null)
}
