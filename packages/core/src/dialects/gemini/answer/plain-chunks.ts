import { gapOf, KnownEvents, numberGaps } from '../../../answer/known-events.ts'
import { hasOtherFields, isJsonObject, nonEmptyText, objectIn, parseJson } from '../../../json/objects.ts'
import type { JsonObject } from '../../../json/objects.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { flatCopy } from '../../../text/held-text.ts'

/** Chunks that bring text and nothing else. They need not be parsed: what they count beside it, later ones count again. */
export class PlainChunks {
  private readonly events = new KnownEvents()
  /** The last of those that were taken, if none that was parsed has counted since. */
  private last = ''

  /** How many were taken. */
  taken = 0

  /**
   * Takes the chunks that begin at `at` and bring nothing but text. Returns where the last of them ends. `passing` tells of
   * their texts how many go on as they came, where the others must not be taken.
   */
  take(text: string, at: number, limit: number, passing?: Passing): number {
    const { events } = this
    const next =
      passing === undefined ? events.match(text, at, limit) : events.matchPassing(text, at, limit, passing)
    if (next === at) return at
    this.taken += events.ends.length
    this.last = flatCopy(text.slice(Math.max(at, text.lastIndexOf('\n\n', next - 3) + 2), next))
    return next
  }

  /** The text of those that were taken last. */
  get content(): string {
    return this.events.content
  }

  learn(chunk: JsonObject, { source, data }: SseEvent): void {
    if (chunk['usageMetadata'] !== undefined) this.last = ''
    const text = onlyText(chunk)
    const gap = text === null || source !== `data: ${data}\n\n` ? null : gapOf(source, 'text', text)
    if (gap === null) return
    const gaps = [gap, ...numberGaps(source, counts, 'digits')]
    this.events.learn(
      source,
      gaps.toSorted((a, b) => a.start - b.start),
    )
  }

  /** The last chunk that was taken, if what it counts was not counted since. */
  takeUncounted(): JsonObject | null {
    const chunk = this.last === '' ? null : parseJson(this.last.slice('data:'.length))
    this.last = ''
    return isJsonObject(chunk) ? chunk : null
  }
}

type Passing = (content: string, ends: readonly number[]) => number

const counts = /"\w*[tT]okenCount": ?/g

/** The text of a chunk whose one candidate says nothing else. */
function onlyText(chunk: JsonObject): string | null {
  const { candidates, promptFeedback } = chunk
  if (!Array.isArray(candidates) || candidates.length !== 1 || promptFeedback !== undefined) return null
  const candidate: unknown = candidates[0]
  if (!isJsonObject(candidate) || candidate['finishReason'] !== undefined || (candidate['index'] ?? 0) !== 0)
    return null
  const { parts } = objectIn(candidate, 'content')
  const part: unknown = Array.isArray(parts) && parts.length === 1 ? parts[0] : undefined
  return isJsonObject(part) && !hasOtherFields(part, textAlone) ? nonEmptyText(part['text']) : null
}

const textAlone: ReadonlySet<string> = new Set(['text'])
