import { resolveFormatId, type FormatId } from '../formats/format-id.ts'
import { parseJson } from '../json/objects.ts'

/** Where a piece of reasoning came from. A later request needs it to put the reasoning back there. */
export interface ReasoningSource {
  readonly format: FormatId
  /** The field of the upstream's message that held it. */
  readonly field: string
  readonly model: string
  /** What the upstream wants back beside the text, as JSON text: encrypted details. */
  readonly proof?: string
}

/** The field of a proof that belongs to the call behind it, and not to reasoning. */
export const callField = 'tool_calls'

/**
 * The signature of a thinking block that we make. It holds the source of the reasoning, so that nothing has to be
 * kept between requests; the text stays in the block. It consists of letters, digits, `_` and `-`, which are legal
 * wherever a signature may stand.
 */
export function makeSignature({ format, field, model, proof }: ReasoningSource): string {
  const payload = proof === undefined ? [format, field, model] : [format, field, model, proof]
  return prefix + base64Url(asciiJson(payload))
}

/** `foreign` for a signature that somebody else made, `null` where there is none. */
export function readSignature(signature: string | undefined): ReasoningSource | 'foreign' | null {
  if (signature === undefined || signature === '') return null
  if (!signature.startsWith(prefix)) return 'foreign'
  const source = readPayload(signature.slice(prefix.length))
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

// Anthropic's signatures are plain base64, which has no underscore.
const family = 'dragoman_'
const prefix = `${family}1_`

function readPayload(encoded: string): ReasoningSource | null {
  const payload = parseJson(fromBase64Url(encoded) ?? '')
  if (!Array.isArray(payload)) return null
  const [name, field, model, proof]: unknown[] = payload
  const format = typeof name === 'string' ? resolveFormatId(name) : undefined
  if (format === undefined || typeof field !== 'string' || typeof model !== 'string') return null
  const source = { format, field, model }
  return typeof proof === 'string' ? { ...source, proof } : source
}

/** `btoa` takes no character above U+00FF. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function base64Url(ascii: string): string {
  return btoa(ascii).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64Url(encoded: string): string | undefined {
  try {
    return atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
}
