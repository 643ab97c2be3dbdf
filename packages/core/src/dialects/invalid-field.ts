import type { ConversationRequest, RequestNote } from './conversation-request.ts'
import { Notes } from './request-notes.ts'

/** What is wrong with a request, and where: `messages[2].content`. */
export interface RequestError {
  readonly field: string
  readonly message: string
}

export type Decoded<T> = (T & { readonly notes: readonly RequestNote[] }) | { readonly error: RequestError }

export type DecodedRequest = Decoded<{ readonly request: ConversationRequest }>

/** Runs a decoder whose readers stop at the first field they cannot read. */
export function decoding<T extends object>(decode: (notes: Notes) => T): Decoded<T> {
  const notes = new Notes()
  try {
    return { ...decode(notes), notes: notes.all }
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error
    return { error: { field: error.field, message: error.message } }
  }
}

/** Ends the decoding of a request. Never leaves this package. */
export class InvalidField extends Error {
  readonly field: string

  /** `fault` goes on where the name of the field ends: `must be a string`. */
  constructor(field: string, fault: string) {
    super(`${field}: ${fault}`)
    this.field = field
  }
}
