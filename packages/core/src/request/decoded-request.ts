import { InvalidField } from '../json/fields.ts'
import type { ConversationRequest, RequestNote } from './conversation-request.ts'
import { Notes } from './notes.ts'

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
