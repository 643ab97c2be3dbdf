import { tokensOf } from './cut-text.ts'
import type { ScriptedAnswer, ScriptedCall } from './script.ts'
import type { Field } from './settings.ts'
import type { Writing } from './writing.ts'

/** A part of the answer, in one field of the wire. */
export type Part = TextPart | CallPart

interface TextPart {
  readonly type: 'text'
  readonly field: Field
  /** Another field that says the same. */
  readonly alsoIn?: Field
  readonly text: string
}

interface CallPart {
  readonly type: 'call'
  readonly index: number
  readonly id: string
  readonly name: string
  readonly json: string
}

export interface LaidOut {
  readonly parts: readonly Part[]
  readonly finishReason: 'stop' | 'tool_calls' | 'length'
  readonly completionTokens: number
  readonly reasoningTokens: number
}

/**
 * Puts everything that the model says into its field, and cuts it where the limit of the request or of the script is
 * reached.
 */
export function layOut(answer: ScriptedAnswer): LaidOut {
  const parts = partsOf(answer)
  const size = countTokens(parts)
  const limit = Math.min(
    answer.request.maxTokens ?? size,
    answer.settings.faults.includes('length') ? Math.ceil(size / 2) : size,
  )
  const kept = limit < size ? firstTokens(parts, limit) : parts
  const isCalling = kept.some(({ type }) => type === 'call')
  return {
    parts: kept,
    finishReason: limit < size ? 'length' : isCalling ? 'tool_calls' : 'stop',
    completionTokens: limit,
    reasoningTokens: countTokens(kept.filter((part) => part.type === 'text' && part.field !== 'content')),
  }
}

function partsOf(answer: ScriptedAnswer): Part[] {
  const { writing, thought, text, calls, startIndex, settings } = answer
  const isInline = settings.thinking === 'inline'
  if (writing.kind === 'structured') {
    return [
      ...(isInline ? textPart('content', inlineThought(thought)) : thoughtPart(answer)),
      ...textPart('content', text),
      ...calls.map(callPart),
    ]
  }
  const written = writing.calls(calls, startIndex)
  if (settings.field !== 'content' && calls.length > 0) {
    // Text after a call inside the reasoning turns that call into a draft, so the text is put before it.
    const problems = answer.historyProblems.length > 0 ? `${text}\n` : ''
    return textPart(settings.field, [problems + thought, written].join(thought === '' ? '' : '\n'))
  }
  const said = calls.length > 0 ? lead(writing, text) + written + (writing.end ?? '') : text
  const inline = isInline && thought !== '' ? writing.thinking(thought) : ''
  return [...(isInline ? [] : thoughtPart(answer)), ...textPart('content', inline + said)]
}

function thoughtPart({
  thought,
  settings,
  thoughtFields = ['reasoning_content'],
}: ScriptedAnswer): TextPart[] {
  const [field, alsoIn] = settings.field === 'content' ? thoughtFields : [settings.field]
  return field === undefined ? [] : textPart(field, thought, alsoIn)
}

function lead({ isBare, text, gap }: Extract<Writing, { kind: 'text' }>, said: string): string {
  return isBare === true ? '' : (text?.(said) ?? said) + gap
}

function inlineThought(thought: string): string {
  return thought === '' ? '' : `<think>${thought}</think>`
}

function textPart(field: Field, text: string, alsoIn?: Field): TextPart[] {
  if (text === '') return []
  return [{ type: 'text', field, text, ...(alsoIn !== undefined && { alsoIn }) }]
}

function callPart({ id, name, arguments: values, json }: ScriptedCall, index: number): CallPart {
  return { type: 'call', index, id, name, json: json ?? JSON.stringify(values) }
}

function countTokens(parts: readonly Part[]): number {
  return parts.reduce((count, part) => count + tokensOf(contentOf(part)).length, 0)
}

function firstTokens(parts: readonly Part[], limit: number): Part[] {
  const kept: Part[] = []
  let left = limit
  for (const part of parts) {
    if (left <= 0) break
    const tokens = tokensOf(contentOf(part))
    kept.push(withContent(part, tokens.slice(0, left).join('')))
    left -= tokens.length
  }
  return kept
}

function contentOf(part: Part): string {
  return part.type === 'text' ? part.text : part.json
}

function withContent(part: Part, content: string): Part {
  return part.type === 'text' ? { ...part, text: content } : { ...part, json: content }
}
