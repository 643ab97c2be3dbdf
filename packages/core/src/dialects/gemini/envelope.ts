import { parseJson } from '../../json/objects.ts'

/** A piece of reasoning on its way through a client: our signature of it, and its text. */
export interface CarriedThought {
  readonly signature: string
  readonly thought: string
}

/**
 * What a client carries back for us in the `thoughtSignature` of a call. Clients of this dialect drop the parts that
 * hold thoughts, so the text of the reasoning goes with its signature. The field is bytes, in standard base64.
 */
export function writeEnvelope(thoughts: readonly CarriedThought[]): string {
  const pairs = thoughts.map(({ signature, thought }) => [signature, thought])
  return toBase64(new TextEncoder().encode(prefix + JSON.stringify(pairs)))
}

/**
 * The reasoning in an envelope of ours; null for a signature that somebody else made. Some clients write bytes in the
 * alphabet for addresses, or without padding: both are read.
 */
export function readEnvelope(signature: string): readonly CarriedThought[] | null {
  const text = decodedText(signature)
  if (text === null || !text.startsWith(prefix)) return null
  const pairs = parseJson(text.slice(prefix.length))
  return Array.isArray(pairs) ? pairs.flatMap(thoughtOf) : null
}

/** Whether we have made the signature. It may be damaged all the same, or of a version that this one cannot read. */
export function isEnvelope(signature: string): boolean {
  return signature.startsWith(encodedFamily)
}

/** All that we sign begins with this word; in base64 too, because it takes up nine bytes. */
const family = 'dragoman_'
const prefix = `${family}thoughts_1_`
const encodedFamily = btoa(family)

function thoughtOf(pair: unknown): CarriedThought[] {
  if (!Array.isArray(pair)) return []
  const [signature, thought]: unknown[] = pair
  return typeof signature === 'string' && typeof thought === 'string' ? [{ signature, thought }] : []
}

/** `btoa` takes a text of bytes. In one piece, the bytes of a long text would be too many arguments for a call. */
function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE))
  }
  return btoa(binary)
}

const BYTES_AT_ONCE = 8192

function decodedText(base64: string): string | null {
  try {
    const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(binary, (byte) => byte.charCodeAt(0)),
    )
  } catch {
    return null
  }
}
