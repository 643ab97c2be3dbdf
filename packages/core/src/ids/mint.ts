import { type FormatId, formatIds } from '../formats/format-id.ts'
import { familyOfId } from '../formats/template.ts'
import { withoutRawPrefix } from './legal-id.ts'

export interface NewIdOptions {
  /** How ids begin in the client's dialect: `call_`. */
  readonly prefix: string
  /** The format that the call was read in; `std` for a call that came structured. */
  readonly format: FormatId | 'std'
  /** A fresh random text. Characters that are not legal in an id are left out. */
  readonly newId: () => string
  /** The ids that the conversation already holds. */
  readonly taken?: ReadonlySet<string> | ((id: string) => boolean)
}

/**
 * An id for a client: `toolu_<tag>_<random>` or `call_<tag>_<random>`, at most 40 characters. The tag lets a later
 * request, which has only the history, tell which format the conversation is in.
 */
export function mintId({ prefix, format, newId, taken = new Set() }: NewIdOptions): string {
  const isTaken = typeof taken === 'function' ? taken : (id: string): boolean => taken.has(id)
  const head = `${prefix}${tagOf(format)}_`
  const room = longestId - head.length

  let random = ''
  for (let tries = 0; tries < 8; tries++) {
    // The end is kept, not the beginning: ids ordered by time, and counters, differ at the end.
    random = newId()
      .replace(/[^a-zA-Z0-9_-]/g, '')
      .slice(-room)
    if (random !== '' && !isTaken(head + random)) return head + random
  }
  // A `newId` that repeats itself would be asked for ever, so from here on the ids are counted.
  for (let count = 1; ; count++) {
    const id = head + (random + String(count)).slice(-room)
    if (!isTaken(id)) return id
  }
}

const longestId = 40

/** The format named in an id that `mintId` made, also after it became `hist_tool_…`; null for any other id. */
export function formatTagOf(id: string): FormatId | 'std' | null {
  const tag = /^(?:toolu|call|hist_tool)_([a-z0-9]+)_[a-zA-Z0-9_-]+$/.exec(withoutRawPrefix(id))?.[1]
  return tag === undefined ? null : (formatByTag.get(tag) ?? null)
}

/** The format that the id of a call tells: the tag of an id that `mintId` made, or the family whose models write such ids. */
export function formatOfCallId(id: string): FormatId | 'std' | null {
  return formatTagOf(id) ?? familyOfId(id)
}

// `standard` reads nothing in-band, so its calls are the structured ones. An underscore ends the tag, so a tag is
// letters and digits alone: `gpt-oss` is `gptoss`.
export function tagOf(format: FormatId | 'std'): string {
  return format === 'standard' ? 'std' : format.replace(/[^a-z0-9]/g, '')
}

const formatByTag: ReadonlyMap<string, FormatId | 'std'> = new Map(
  formatIds.map((format) => [tagOf(format), format === 'standard' ? 'std' : format]),
)
