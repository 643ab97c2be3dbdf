import type { Content, ThinkingBlock } from '../../../conversation.ts'
import type { FormatId } from '../../../formats/format-id.ts'
import { templateOf } from '../../../formats/template.ts'
import { formatTagOf } from '../../../ids/mint.ts'
import { isJsonObject, type JsonObject, nonEmptyText, parseJson } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, originalIn, withOriginal } from '../../../request/original.ts'
import { demandsReasoning, lostReasoning } from '../../../request/reasoning-policy.ts'
import { makeSignature, readSignature } from '../../../request/reasoning-signature.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { reasoningTextFields } from '../words.ts'

/** Chat has no signatures. Reasoning that a client sends is taken for the upstream's own, and keeps its fields. */
export function decodeReasoning(message: JsonObject): ThinkingBlock[] {
  const { reasoning_details: details } = message
  const fields: Record<string, unknown> = {}
  for (const field of reasoningTextFields) {
    if (nonEmptyText(message[field]) !== null) fields[field] = message[field]
  }
  if (Array.isArray(details) && details.length > 0) fields['reasoning_details'] = details
  if (Object.keys(fields).length === 0) return []

  const textField = reasoningTextFields.find((field) => field in fields)
  const text = textField === undefined ? null : nonEmptyText(fields[textField])
  const block: ThinkingBlock = { type: 'thinking', thought: text ?? textOfDetails(details) }
  return [withOriginal(block, 'openai-chat', fields)]
}

function textOfDetails(details: unknown): string {
  if (!Array.isArray(details)) return ''
  return details
    .map((detail: unknown) => (isJsonObject(detail) ? (detail['text'] ?? detail['summary']) : null))
    .filter((text) => typeof text === 'string')
    .join('')
}

/**
 * Tells by the ids of calls which family wrote the reasoning beside them: the dialect has no signatures, but ids that
 * we minted name the format of the call. Only formats that prove the family count. A wrong guess would keep reasoning
 * from the model that wrote it, which is worse than to show it to another.
 */
export function withReasoningSources(contents: readonly Content[]): Content[] {
  let family: FormatId | null = null
  return contents.map((content) => {
    if (content.speaker === 'human') family = null
    if (content.speaker !== 'ai') return content
    const calls = content.blocks.filter((block) => block.type === 'tool_call')
    if (calls.length > 0) family = familyOf(calls.map(({ id }) => id))
    const source = family
    if (source === null) return content
    return {
      ...content,
      blocks: content.blocks.map((block) => (block.type === 'thinking' ? signed(block, source) : block)),
    }
  })
}

function familyOf(ids: readonly string[]): FormatId | null {
  for (const id of ids) {
    const tag = formatTagOf(id)
    if (tag !== null && tag !== 'std' && templateOf(tag).callsProveFamily) return tag
  }
  return null
}

function signed(block: ThinkingBlock, format: FormatId): ThinkingBlock {
  const [field = 'reasoning_content'] = Object.keys(originalIn(block, 'openai-chat') ?? {})
  return { ...block, signature: makeSignature({ format, field, model: '' }) }
}

/** Writes the reasoning of one message into the fields that it came in; undefined if the message has none. */
export function encodeReasoning(
  thoughts: readonly ThinkingBlock[],
  callsTools: boolean,
  target: ChatTarget,
  notes: Notes,
): JsonObject | undefined {
  const isDemanded = callsTools && demandsReasoning(target)
  if (thoughts.length === 0 && !isDemanded) return undefined
  if (target.reasoningFields?.length === 0) {
    notes.dropped('messages', 'The upstream refuses reasoning in the history.')
    return undefined
  }
  const fields: Record<string, unknown> = {}
  for (const thought of thoughts) {
    const original = originalFor(target, thought, 'openai-chat')
    for (const [field, value] of Object.entries(original ?? nativeFields(thought))) {
      fields[field] = joined(fields[field], value)
    }
  }
  const read = target.reasoningFields === undefined ? fields : inFields(fields, target.reasoningFields)
  if (!isDemanded || nonEmptyText(read['reasoning_content']) !== null) return read
  // Some servers send reasoning under other names, and still demand it under this one.
  const known = thoughts.map(({ thought }) => thought).join('')
  if (known === '')
    notes.changed('messages', 'The upstream demands reasoning beside tool calls and the client sent none.')
  return { ...read, reasoning_content: known === '' ? lostReasoning : known }
}

/** The text of the reasoning under the names that the upstream reads. What else came with it stays. */
function inFields(fields: JsonObject, names: readonly string[]): JsonObject {
  const from = reasoningTextFields.find((field) => nonEmptyText(fields[field]) !== null)
  if (from === undefined) return fields
  const others = Object.entries(fields).filter(
    ([field]) => !reasoningTextFields.some((name) => name === field),
  )
  return { ...Object.fromEntries(others), ...Object.fromEntries(names.map((name) => [name, fields[from]])) }
}

/** The client could forge the signature. So the field that it names is used only if it is one of these. */
function nativeFields({ thought, signature }: ThinkingBlock): JsonObject {
  const source = readSignature(signature)
  if (source === null || source === 'foreign') return { reasoning_content: thought }
  const proved = source.proof === undefined ? {} : provedFields(source.proof, thought)
  if (source.field === 'reasoning_details') {
    return 'reasoning_details' in proved ? proved : { reasoning_details: textDetails(thought) }
  }
  if (source.field === 'thinking_blocks' && 'thinking_blocks' in proved) return proved
  const field = reasoningTextFields.find((name) => name === source.field) ?? 'reasoning_content'
  return { ...(thought === '' && source.proof !== undefined ? {} : { [field]: thought }), ...proved }
}

/**
 * The proof is JSON of reasoning details, or a bare signature. Each goes into the field that servers take it back in.
 */
function provedFields(proof: string, thought: string): JsonObject {
  const details = parseJson(proof)
  if (Array.isArray(details)) return { reasoning_details: details }
  if (isJsonObject(details)) return { reasoning_details: detailsWith(details, thought) }
  return { thinking_blocks: [{ type: 'thinking', thinking: thought, signature: proof }] }
}

/** The signature keeps a detail without its text. The text is that of the block. */
function detailsWith(detail: JsonObject, thought: string): JsonObject[] {
  if (detail['type'] === 'reasoning.encrypted') return [...textDetails(thought), detail]
  return [{ ...detail, [detail['type'] === 'reasoning.summary' ? 'summary' : 'text']: thought }]
}

function textDetails(thought: string): JsonObject[] {
  return thought === '' ? [] : [{ type: 'reasoning.text', text: thought }]
}

function joined(before: unknown, value: unknown): unknown {
  if (typeof before === 'string' && typeof value === 'string') return before + value
  return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
}
