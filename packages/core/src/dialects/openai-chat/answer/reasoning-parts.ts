import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'

interface ReasoningPart {
  readonly text: string
  /** Where it was. */
  readonly field: string
}

export interface ReadReasoning {
  readonly parts: readonly ReasoningPart[]
  /** What belongs to the reasoning and is no text: signatures, and encrypted details as JSON text. */
  readonly proofs: readonly string[]
}

/** The reasoning in a delta or a message, under every name that servers have for it; a text said twice comes once. */
export function readReasoning(delta: JsonObject): ReadReasoning {
  if (!allFields.some((field) => delta[field] !== undefined && delta[field] !== null)) return none
  const parts: ReasoningPart[] = []
  const proofs: string[] = []
  for (const field of textFields) {
    add(parts, textOf(delta[field]), field)
  }
  const details = delta['reasoning_details']
  if (Array.isArray(details)) readDetails(details, parts, proofs)
  const blocks = delta['thinking_blocks']
  if (Array.isArray(blocks)) readBlocks(blocks, parts, proofs)
  return { parts, proofs }
}

const textFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const
const allFields = [...textFields, 'reasoning_details', 'thinking_blocks'] as const
const none: ReadReasoning = Object.freeze({ parts: [], proofs: [] })

function add(parts: ReasoningPart[], text: string, field: string): void {
  if (text !== '' && !parts.some((part) => part.text === text)) parts.push({ text, field })
}

/** A text, or an array of texts and of objects that hold one. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).join('')
  if (!isJsonObject(value)) return ''
  return textOf(value['text'] ?? value['thinking'] ?? value['summary'] ?? value['content'])
}

function readDetails(details: readonly unknown[], parts: ReasoningPart[], proofs: string[]): void {
  add(parts, textOf(details), 'reasoning_details')
  for (const detail of details) {
    if (!isJsonObject(detail)) continue
    const isProof = detail['type'] === 'reasoning.encrypted' || nonEmptyText(detail['signature']) !== null
    // The text has gone out already, and is put back where the proof goes back.
    if (isProof) proofs.push(JSON.stringify({ ...detail, text: undefined, summary: undefined }))
  }
}

function readBlocks(blocks: readonly unknown[], parts: ReasoningPart[], proofs: string[]): void {
  add(parts, textOf(blocks), 'thinking_blocks')
  for (const block of blocks) {
    const signature = isJsonObject(block) ? nonEmptyText(block['signature'] ?? block['data']) : null
    if (signature !== null) proofs.push(signature)
  }
}
