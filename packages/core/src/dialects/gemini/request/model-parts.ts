import type { Block, ThinkingBlock, ToolCallBlock } from '../../../conversation.ts'
import { anyText, InvalidField, optionalText, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText, parseJson } from '../../../json/objects.ts'
import { withOriginal } from '../../../request/original.ts'
import { callProofOf } from '../../../request/reasoning-policy.ts'
import type { CallIds } from './call-ids.ts'
import { decodeShown, type PlacedPart, unknownElsewhere } from './parts.ts'
import { readThoughtSignature, type SignedPart } from './thought-signature.ts'
import { camelCased } from '../spelling.ts'

/** Reads what the model said in one step, with the reasoning that the client carried for us. */
export function decodeStep(parts: readonly PlacedPart[], ids: CallIds): Block[] {
  const signed = parts.map(({ part, path }) => ({ ...readThoughtSignature(part), path }))
  const owner = ownerOf(signed)
  const blocks: Block[] = []
  // Reasoning stands in front of all that it led to: behind what carried the reasoning before it.
  let front = 0
  for (const { part, carried, isForeign, path } of signed) {
    for (const thought of carried) {
      if (callProofOf(thought) === undefined) blocks.splice(front++, 0, thought)
      else blocks.push(thought)
    }
    if (part['thought'] === true && typeof part['text'] === 'string') {
      blocks.push(...decodeThought(part, part['text'], isForeign ? 'somebody' : owner))
    } else if (isJsonObject(part['functionCall'])) {
      blocks.push(decodeCall(part, ids, path))
    } else if (isJsonObject(part['functionResponse'])) {
      throw new InvalidField(path, 'the model cannot hold a function response')
    } else {
      blocks.push(...decodeShown(part, path))
    }
    if (carried.length > 0) front = blocks.length
  }
  return blocks
}

/** Whose the unsigned thoughts of a step are, as far as its signatures tell. */
type Owner =
  /** They stand in an envelope of ours as well. */
  | 'carried'
  /** Whoever signed the step has made them. */
  | 'somebody'
  | 'unknown'

function ownerOf(signed: readonly SignedPart[]): Owner {
  const isCarried = signed.some(({ carried }) => carried.some((block) => callProofOf(block) === undefined))
  if (isCarried) return 'carried'
  return signed.some(({ isForeign }) => isForeign) ? 'somebody' : 'unknown'
}

/** A thought that nobody signed is taken for the upstream's own, as everywhere. */
function decodeThought(part: JsonObject, text: string, owner: Owner): Block[] {
  if (owner === 'somebody') return [unknownElsewhere(part)]
  if (owner === 'carried' || text === '') return []
  const block: ThinkingBlock = { type: 'thinking', thought: text }
  return [withOriginal(block, 'gemini', part)]
}

function decodeCall(part: JsonObject, ids: CallIds, path: string): ToolCallBlock {
  const place = `${path}.functionCall`
  const called = camelCased(requiredObject(part['functionCall'], place))
  const name = optionalText(called, 'name', `${place}.`) ?? ''
  const call: ToolCallBlock = {
    type: 'tool_call',
    id: ids.call(nonEmptyText(called['id']), name),
    name,
    parameters: argumentsIn(called['args'], `${place}.args`),
  }
  return withOriginal(call, 'gemini', { ...part, functionCall: called })
}

function argumentsIn(args: unknown, path: string): JsonObject {
  if (args === undefined || args === null || args === '') return {}
  const read = typeof args === 'string' ? parseJson(anyText(args, path)) : args
  if (!isJsonObject(read)) throw new InvalidField(path, 'must be an object')
  return read
}
