/**
 * The parts of the AI SDK's language model specification, versions 3 and 4, that the middleware reads. Both
 * versions have them in the same shape; everything else in these objects is passed on.
 */
export interface CallOptions {
  readonly prompt: readonly PromptMessage[]
  readonly tools?: readonly object[] | undefined
  readonly toolChoice?: { readonly type: string; readonly toolName?: string | undefined } | undefined
  /** What a caller tells one provider, by the provider's name. */
  readonly providerOptions?: unknown
}

export interface PromptMessage {
  readonly role: string
  readonly content: unknown
}

/** A part of a stream, or of the content of a whole answer. */
export interface Part {
  readonly type: string
}

export type PartWithId = Part & { readonly id: string }

/** A part that is made here. */
export interface NewPart extends Part {
  readonly [field: string]: unknown
}

export interface GenerateResult {
  readonly content: readonly Part[]
  readonly finishReason: object
  readonly usage?: unknown
}

export interface StreamResult {
  readonly stream: ReadableStream<Part>
}
