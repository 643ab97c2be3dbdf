import type { ThinkingBlock } from '../../../conversation.ts'
import { type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import { isEnvelope, readEnvelope } from '../envelope.ts'

/** A part of the model's, and what its signature means. */
export interface SignedPart {
  /** Without a signature that is ours, or that says there is none. */
  readonly part: JsonObject
  /** The reasoning that an envelope of ours holds. */
  readonly carried: readonly ThinkingBlock[]
  /** Whether somebody else signed the part. Only an upstream of this dialect can read that. */
  readonly isForeign: boolean
}

export function readThoughtSignature(part: JsonObject): SignedPart {
  const signature = nonEmptyText(part['thoughtSignature'])
  if (signature === null) return { part, carried: [], isForeign: false }
  if (!isEnvelope(signature) && !saysNone(signature)) return { part, carried: [], isForeign: true }
  const { thoughtSignature: _, ...rest } = part
  const carried = (readEnvelope(signature) ?? []).map(({ signature: source, thought }): ThinkingBlock =>
    source === '' ? { type: 'thinking', thought } : { type: 'thinking', thought, signature: source },
  )
  return { part: rest, carried, isForeign: false }
}

/** Stands in the place of a signature in a history that another model wrote. Servers check all others. */
export const noSignature = 'skip_thought_signature_validator'

const placeholders: ReadonlySet<string> = new Set([noSignature, 'context_engineering_is_the_way_to_go'])

/** A client that takes the words for base64 may send them back in its other alphabet. */
function saysNone(signature: string): boolean {
  return placeholders.has(signature.replaceAll('/', '_'))
}
