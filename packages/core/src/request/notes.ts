import type { JsonObject } from '../json/objects.ts'

/** Something of a request that could not go to the upstream, or had to be changed for it. */
export interface RequestNote {
  readonly kind: 'dropped' | 'changed'
  /** Where in the client's request: `thinking`, `messages[3].content[1]`. */
  readonly field: string
  readonly reason: string
}

export const notUnderstood = 'The upstream is not known to understand it.'

/** The notes of one request. What happens in each of a hundred turns is noted once. */
export class Notes {
  readonly #notes = new Map<string, RequestNote>()

  dropped(field: string, reason: string): void {
    this.#add({ kind: 'dropped', field, reason })
  }

  changed(field: string, reason: string): void {
    this.#add({ kind: 'changed', field, reason })
  }

  /** Notes every field of a message but role and content. A field that is null or empty said nothing. */
  droppedFields(message: JsonObject, reason: string): void {
    for (const [field, value] of Object.entries(message)) {
      if (field === 'role' || field === 'content' || value === null || value === '') continue
      this.dropped(`messages.${field}`, reason)
    }
  }

  get all(): RequestNote[] {
    return [...this.#notes.values()]
  }

  #add(note: RequestNote): void {
    this.#notes.set(`${note.kind} ${note.field} ${note.reason}`, note)
  }
}
