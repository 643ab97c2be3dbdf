import type { ConversationRequest, RequestNote } from './conversation-request.ts'
import { Notes } from './request-notes.ts'

/** What is wrong with a request, and where: `messages[2].content`. */
export interface RequestError {
  readonly field: string
  readonly message: string
}

export type DecodedRequest =
  | { readonly request: ConversationRequest; readonly notes: readonly RequestNote[] }
  | { readonly error: RequestError }

/** Runs a decoder whose readers stop at the first field they cannot read. */
export function decoding(decode: (notes: Notes) => ConversationRequest): DecodedRequest {
  const notes = new Notes()
  try {
    const request = decode(notes)
    return { request, notes: notes.all }
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error
    return { error: { field: error.field, message: error.message } }
  }
}

/** Ends the decoding of a request. Never leaves this package. */
export class InvalidField extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}
