import { parseJson } from '../../json/objects.ts'

/** A piece of reasoning on its way through a client: its text, and the signature that tells where it came from. */
export interface CarriedThought {
  readonly signature: string
  readonly thought: string
}

/**
 * Reasoning as a `thoughtSignature`. The text is inside, because clients of the dialect throw the parts with thoughts away
 * and keep the signatures of calls. The field holds bytes: clients decode it and may write it in the other alphabet of
 * base64, so it is the standard one of a text that begins with our name.
 */
export function makeEnvelope(thoughts: readonly CarriedThought[]): string {
  const payload = thoughts.map(({ signature, thought }) => [signature, thought])
  return base64(new TextEncoder().encode(prefix + JSON.stringify(payload)))
}

/** The reasoning inside; none where ours is damaged, `null` where somebody else made the signature. */
export function readEnvelope(signature: string): readonly CarriedThought[] | null {
  if (!signature.startsWith(beginning)) return null
  const text = textOf(signature)
  if (text === undefined || !text.startsWith(prefix)) return []
  const payload = parseJson(text.slice(prefix.length))
  return Array.isArray(payload) ? payload.flatMap(carried) : []
}

const prefix = 'dragoman_2_'

/** Of `dragoman_`, in both alphabets: nine bytes are twelve characters, and none of these differs. */
const beginning = 'ZHJhZ29tYW5f'

function carried(pair: unknown): CarriedThought[] {
  const [signature, thought]: unknown[] = Array.isArray(pair) ? pair : []
  return typeof signature === 'string' && typeof thought === 'string' ? [{ signature, thought }] : []
}

function base64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += mostArguments) {
    binary += String.fromCharCode(...bytes.subarray(at, at + mostArguments))
  }
  return btoa(binary)
}

/** Each byte is an argument, and too many of them do not fit on the stack. */
const mostArguments = 8192

function textOf(signature: string): string | undefined {
  try {
    const binary = atob(signature.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
