import type { Content, ThinkingBlock, ToolCallBlock } from '../../../conversation.ts'
import type { ToolIdMapper } from '../../../ids/strategy.ts'
import { isJsonObject, type JsonObject, nonEmptyText, objectIn, parseJson } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalElsewhere, originalFor } from '../../../request/original.ts'
import { callProofOf } from '../../../request/reasoning-policy.ts'
import { readSignature } from '../../../request/reasoning-signature.ts'
import type { RequestTarget } from '../../../request/target.ts'
import { encodeMedia } from './media.ts'
import { noSignature } from './thought-signature.ts'

/** The parts of one step of the model, and the calls among them that were written without an id. */
export interface WrittenStep {
  readonly parts: readonly JsonObject[]
  readonly withoutId: ReadonlySet<string>
}

/**
 * Writes what the model said in one step. Newer models refuse a history in which the first call of a step has lost its
 * signature, and one that somebody else made as well.
 */
export function encodeStep(
  { blocks }: Content,
  ids: ToolIdMapper,
  target: RequestTarget,
  notes: Notes,
): WrittenStep {
  const parts: JsonObject[] = []
  const withoutId = new Set<string>()
  let proof: string | undefined
  let isFirst = true
  for (const block of blocks) {
    switch (block.type) {
      case 'thinking': {
        const ofCall = callProofOf(block)
        if (ofCall === undefined) addThought(parts, block, target)
        else proof = signatureIn(ofCall)
        break
      }
      case 'text': {
        const original = originalFor(target, block, 'gemini')
        if (original !== undefined || block.text !== '') parts.push(original ?? { text: block.text })
        break
      }
      case 'tool_call': {
        const part = encodeCall(block, ids, target)
        const signature = proof ?? signatureBeside(block)
        parts.push(signedCall(part, signature, isFirst))
        if (!('id' in objectIn(part, 'functionCall'))) withoutId.add(block.id)
        isFirst = false
        proof = undefined
        break
      }
      case 'media':
        parts.push(originalFor(target, block, 'gemini') ?? encodeMedia(block, target, notes))
        break
      case 'tool_response':
        break
    }
  }
  return { parts, withoutId }
}

/** A signature belongs to the thought that it came with; without one, to the part in front of it. */
function addThought(parts: JsonObject[], block: ThinkingBlock, target: RequestTarget): void {
  const { thought } = block
  const original = originalFor(target, block, 'gemini')
  const source = readSignature(block.signature)
  const proof = source === null || source === 'foreign' ? undefined : signatureIn(source.proof)
  const signed = proof === undefined ? {} : { thoughtSignature: proof }
  if (original !== undefined || thought !== '') {
    parts.push(original ?? { text: thought, thought: true, ...signed })
    return
  }
  if (proof === undefined) return
  const last = parts.at(-1)
  const isOfLast = last !== undefined && 'text' in last && !('thoughtSignature' in last)
  parts.splice(isOfLast ? -1 : parts.length, isOfLast ? 1 : 0, {
    ...(isOfLast ? last : { text: '' }),
    ...signed,
  })
}

function encodeCall(call: ToolCallBlock, ids: ToolIdMapper, target: RequestTarget): JsonObject {
  const { name, parameters } = call
  const id = ids.resolveToolCallId(call)
  const args = isJsonObject(parameters) ? parameters : {}
  const original = originalFor(target, call, 'gemini')
  const called = original?.['functionCall']
  if (original === undefined || !isJsonObject(called)) return { functionCall: { id, name, args } }
  // A client that counts without ids gets none from us: what it sends next would have none to match.
  const own = nonEmptyText(called['id']) === null ? {} : { id }
  const { id: _, ...fields } = called
  return { ...original, functionCall: { ...fields, ...own, name, args } }
}

function signedCall(part: JsonObject, signature: string | undefined, isFirst: boolean): JsonObject {
  if (nonEmptyText(part['thoughtSignature']) !== null) return part
  if (signature !== undefined) return { ...part, thoughtSignature: signature }
  return isFirst ? { ...part, thoughtSignature: noSignature } : part
}

/** A client of the chat dialect sends the signature of a call back beside it. */
function signatureBeside(call: ToolCallBlock): string | undefined {
  const extra = originalElsewhere(call, 'gemini')?.['extra_content']
  return isJsonObject(extra) ? signatureOf(extra) : undefined
}

/** The signature in a proof: said as in the chat dialect, or alone. Other proofs are other upstreams'. */
function signatureIn(proof: string | undefined): string | undefined {
  if (proof === undefined) return undefined
  const extra = parseJson(proof)
  if (isJsonObject(extra)) return signatureOf(extra)
  return base64.test(proof) ? proof : undefined
}

function signatureOf(extra: JsonObject): string | undefined {
  const signed = [objectIn(extra, 'google'), objectIn(extra, 'vertex')]
  return (
    signed.map((each) => nonEmptyText(each['thought_signature'])).find((text) => text !== null) ?? undefined
  )
}

const base64 = /^[\w+/-]+={0,2}$/
