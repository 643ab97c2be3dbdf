import type { ThinkingBlock } from '../../../conversation.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import { encryptedIn } from '../../../request/reasoning-policy.ts'
import { readSignature } from '../../../request/reasoning-signature.ts'
import type { ResponsesTarget } from '../../../request/target.ts'
import { takesAllItems } from './target.ts'

/**
 * Reads an item of reasoning. A signature of ours may hold the text, for clients that were shown none; else it stands in
 * the item. Null for an item that says nothing at all.
 */
export function decodeReasoning(item: JsonObject): ThinkingBlock | null {
  const signature = nonEmptyText(item['encrypted_content'])
  const source = readSignature(signature ?? undefined)
  const held = source === null || source === 'foreign' ? undefined : source.text
  const thought = held ?? (textIn(item['content'], '') || textIn(item['summary'], '\n\n'))
  if (thought === '' && signature === null) return null
  const block: ThinkingBlock = {
    type: 'thinking',
    thought,
    ...(signature === null ? {} : { signature }),
  }
  return withOriginal(block, 'openai-responses', item)
}

function textIn(parts: unknown, between: string): string {
  if (typeof parts === 'string') return parts
  if (!Array.isArray(parts)) return ''
  return parts
    .map((part: unknown) => (isJsonObject(part) ? nonEmptyText(part['text']) : nonEmptyText(part)))
    .filter((text) => text !== null)
    .join(between)
}

/**
 * Writes an item of reasoning. What its vendor encrypted goes back as it came. A signature of ours means nothing to any
 * server: the text goes in its place, with what the upstream itself gave us to send back.
 */
export function encodeReasoning(block: ThinkingBlock, id: string, target: ResponsesTarget): JsonObject {
  const { thought, signature } = block
  const original = originalFor(target, block, 'openai-responses')
  const source = readSignature(signature)
  if (original !== undefined && takesAllItems(target) && (source === 'foreign' || source === null)) {
    return original
  }
  const isOfDialect = source === 'foreign' || (source !== null && reasoningFields.has(source.field))
  const encrypted = isOfDialect ? encryptedIn(source, signature) : undefined
  const head = {
    type: 'reasoning',
    ...(target.responsesItems === 'openai' ? {} : { id: nonEmptyText(original?.['id']) ?? id }),
  }
  const proof = encrypted === undefined ? {} : { encrypted_content: encrypted }
  if (target.responsesItems === 'openai') {
    return { ...head, summary: thought === '' ? [] : [{ type: 'summary_text', text: thought }], ...proof }
  }
  if (target.responsesReasoning === 'encrypted_content') {
    return { ...head, summary: [], encrypted_content: thought }
  }
  const content = thought === '' ? [] : [{ type: 'reasoning_text', text: thought }]
  return { ...head, summary: [], content, ...proof }
}

/** Where this dialect has reasoning. A proof that came with any other field means nothing here. */
const reasoningFields: ReadonlySet<string> = new Set(['summary', 'content', 'encrypted_content'])
