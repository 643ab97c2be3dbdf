import type { RequestNote } from './conversation-request.ts'

/** Notes of one request. A history of a hundred turns says a thing once. */
export class Notes {
  readonly #notes = new Map<string, RequestNote>()

  dropped(field: string, reason: string): void {
    this.#add({ kind: 'dropped', field, reason })
  }

  changed(field: string, reason: string): void {
    this.#add({ kind: 'changed', field, reason })
  }

  get all(): RequestNote[] {
    return [...this.#notes.values()]
  }

  #add(note: RequestNote): void {
    this.#notes.set(`${note.kind} ${note.field} ${note.reason}`, note)
  }
}
