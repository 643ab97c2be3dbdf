import { resolveFormatId, type FormatId } from '../formats/format-id.ts'
import { sealed, unsealed } from './envelope.ts'

/** Where a piece of reasoning came from. A later request needs it to put the reasoning back there. */
export interface ReasoningSource {
  readonly format: FormatId
  /** The field of the upstream's message that held it. */
  readonly field: string
  readonly model: string
  /** What the upstream wants back beside the text, as JSON text: encrypted details. */
  readonly proof?: string
  /** The reasoning itself, where its client gets it in no other form. */
  readonly text?: string
}

/** The field of a proof that belongs to the call behind it, and not to reasoning. */
export const callField = 'tool_calls'

/**
 * The signature of a thinking block that we make. It holds the source of the reasoning, so that nothing has to be
 * kept between requests; the text stays in the block, and is in the signature only where the client gets no block of it.
 */
export function makeSignature({ format, field, model, proof, text }: ReasoningSource): string {
  if (text !== undefined) return sealed(prefixWithText, [format, field, model, proof ?? null, text])
  return sealed(prefix, proof === undefined ? [format, field, model] : [format, field, model, proof])
}

/** `foreign` for a signature that somebody else made, `null` where there is none. */
export function readSignature(signature: string | undefined): ReasoningSource | 'foreign' | null {
  if (signature === undefined || signature === '') return null
  const source = readPayload(unsealed(prefix, signature)) ?? readPayload(unsealed(prefixWithText, signature))
  // One source has exactly one spelling. Another text with our prefix was changed on its way, or made by somebody
  // else.
  return source !== null && makeSignature(source) === signature ? source : 'foreign'
}

/**
 * Whether the signature has our prefix. It may be damaged all the same, or of a version that this one cannot read.
 */
export function isMadeHere(signature: string | undefined): boolean {
  return signature !== undefined && signature.startsWith(family)
}

/** Anthropic's signatures are long, and the base64 of a protobuf message that begins with its second field. */
export function isOfAnthropic(signature: string | undefined): boolean {
  return signature !== undefined && /^E[A-Za-z\d+/]{39,}={0,2}$/.test(signature)
}

/** What OpenAI encrypts is a Fernet token: the base64 of a version and a time, both of which change slowly. */
export function isOfOpenAi(signature: string | undefined): boolean {
  return signature !== undefined && signature.startsWith('gAAAA')
}

// Anthropic's signatures are plain base64, which has no underscore.
const family = 'dragoman_'
const prefix = `${family}1_`
const prefixWithText = `${family}2_`

function readPayload(payload: unknown): ReasoningSource | null {
  if (!Array.isArray(payload)) return null
  const [name, field, model, proof, text]: unknown[] = payload
  const format = typeof name === 'string' ? resolveFormatId(name) : undefined
  if (format === undefined || typeof field !== 'string' || typeof model !== 'string') return null
  return {
    format,
    field,
    model,
    ...(typeof proof === 'string' ? { proof } : {}),
    ...(typeof text === 'string' ? { text } : {}),
  }
}
