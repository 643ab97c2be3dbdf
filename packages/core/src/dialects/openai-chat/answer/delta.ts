import { hasOtherFields, isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import { reasoningTextFields } from '../words.ts'

/** What a delta, or a whole message, says in the fields that a patch may replace. */
export interface SaidDelta {
  /** Reasoning and text, in the order in which a client gets them. A text said in several fields comes once. */
  readonly texts: readonly SaidText[]
  /** What belongs to the reasoning and is no text: signatures, and encrypted details as JSON text. */
  readonly proofs: readonly string[]
  readonly toolCalls: readonly unknown[] | null
  /** What `tool_calls` was before there could be several. */
  readonly functionCall: JsonObject | null
  /** The fields that say any of it. An empty or null field is not among them: it says nothing. */
  readonly keys: readonly string[]
}

export type SaidText =
  | { readonly is: 'text'; readonly text: string }
  /** `fields` are where it stands: one field, or several that repeat one text. */
  | { readonly is: 'reasoning'; readonly text: string; readonly fields: readonly string[] }

/** Where servers have it in parts, with its signatures. */
const reasoningPartFields = ['reasoning_details', 'thinking_blocks'] as const

export function readDelta(delta: JsonObject): SaidDelta {
  const texts: SaidText[] = []
  const proofs: string[] = []
  const keys: string[] = []
  readReasoning(delta, texts, proofs, keys)
  if (readContent(delta['content'], texts)) keys.push('content')
  const refusal = nonEmptyText(delta['refusal'])
  if (refusal !== null) {
    texts.push({ is: 'text', text: refusal })
    keys.push('refusal')
  }
  const calls: unknown = delta['tool_calls']
  const toolCalls: readonly unknown[] | null = Array.isArray(calls) && calls.length > 0 ? calls : null
  if (toolCalls !== null) keys.push('tool_calls')
  const functionCall = isJsonObject(delta['function_call']) ? delta['function_call'] : null
  if (functionCall !== null) keys.push('function_call')
  return { texts, proofs, toolCalls, functionCall, keys }
}

/** The parts of the content that say neither text nor reasoning, and so stay as they are. */
export function otherParts(content: unknown): readonly unknown[] {
  if (!Array.isArray(content)) return []
  return content.filter((part) => isJsonObject(part) && partText(part) === null)
}

function readReasoning(delta: JsonObject, texts: SaidText[], proofs: string[], keys: string[]): void {
  const fieldsOf = new Map<string, string[]>()
  for (const field of [...reasoningTextFields, ...reasoningPartFields]) {
    const value = delta[field]
    if (value === undefined || value === null) continue
    const text = textIn(value)
    if (text === '') continue
    keys.push(field)
    const fields = fieldsOf.get(text)
    if (fields === undefined) fieldsOf.set(text, [field])
    else fields.push(field)
  }
  for (const [text, fields] of fieldsOf) texts.push({ is: 'reasoning', text, fields })
  const { reasoning_details: details, thinking_blocks: blocks } = delta
  if (Array.isArray(details)) readDetailProofs(details, proofs)
  if (Array.isArray(blocks)) readBlockProofs(blocks, proofs)
}

/** A text, or an array of texts and of objects that hold one. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textIn).join('')
  if (!isJsonObject(value)) return ''
  return textIn(value['text'] ?? value['thinking'] ?? value['summary'] ?? value['content'])
}

function readDetailProofs(details: readonly unknown[], proofs: string[]): void {
  for (const detail of details) {
    if (!isJsonObject(detail)) continue
    const isProof = detail['type'] === 'reasoning.encrypted' || nonEmptyText(detail['signature']) !== null
    // The text has gone out already, and is put back where the proof goes back.
    if (isProof) proofs.push(JSON.stringify({ ...detail, text: undefined, summary: undefined }))
  }
}

function readBlockProofs(blocks: readonly unknown[], proofs: string[]): void {
  for (const block of blocks) {
    const signature = isJsonObject(block) ? nonEmptyText(block['signature'] ?? block['data']) : null
    if (signature !== null) proofs.push(signature)
  }
}

/** Whether the content says anything. */
function readContent(content: unknown, texts: SaidText[]): boolean {
  const before = texts.length
  if (typeof content === 'string') {
    if (content !== '') texts.push({ is: 'text', text: content })
  } else if (Array.isArray(content)) {
    for (const part of content) {
      const said = typeof part === 'string' ? ({ is: 'text', text: part } as const) : partText(part)
      if (said !== null && said.text !== '') texts.push(said)
    }
  }
  return texts.length > before
}

function partText(part: unknown): SaidText | null {
  if (!isJsonObject(part)) return null
  if (typeof part['text'] === 'string') return { is: 'text', text: part['text'] }
  if (part['type'] !== 'thinking') return null
  return { is: 'reasoning', text: textIn(part['thinking']), fields: ['reasoning'] }
}

type FieldName = 'delta' | 'message'

/**
 * In which field a choice says what it says: a stream in `delta`, or as some servers write it in `message`, beside a
 * delta without words or without any. The first that says something tells. A message at the end of deltas that said it
 * all repeats them.
 */
export class SaidField {
  private name: FieldName | null = null

  /** Null where nothing has been said yet. */
  nameIn(choice: JsonObject): FieldName | null {
    if (this.name === 'delta') return 'delta'
    const { delta, message } = choice
    if (this.name === null && saysSomething(delta)) this.name = 'delta'
    else if (saysSomething(message)) this.name = 'message'
    if (isJsonObject(message) && this.name === 'message') return 'message'
    if (isJsonObject(delta)) return 'delta'
    return isJsonObject(message) ? 'message' : null
  }
}

const silent: ReadonlySet<string> = new Set(['role'])

function saysSomething(said: unknown): boolean {
  return isJsonObject(said) && hasOtherFields(said, silent)
}
