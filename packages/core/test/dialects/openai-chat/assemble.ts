import { createSseDecoder } from '../../../src/sse/decoder.ts'
import { isRecord } from '../../support/is-record.ts'

interface AssembledCall {
  id: string
  type: string
  name: string
  arguments: string
}

export interface AssembledChoice {
  content: string
  reasoning: string
  calls: AssembledCall[]
  finishReasons: string[]
}

export interface AssembledStream {
  choices: Record<number, AssembledChoice>
  error: unknown
  isDone: boolean
}

/** Puts a chat stream together as a client does, and refuses what a strict client would refuse. */
export function assembleChat(sse: string): AssembledStream {
  const stream: AssembledStream = { choices: {}, error: undefined, isDone: false }
  for (const data of dataOf(sse)) {
    if (data === '[DONE]') {
      stream.isDone = true
      continue
    }
    const chunk: unknown = JSON.parse(data)
    if (!isRecord(chunk)) throw new Error('a chunk that is no object')
    if (chunk['error'] !== undefined) stream.error = chunk['error']
    for (const choice of arrayOf(chunk['choices'])) {
      if (!isRecord(choice)) throw new Error('a choice that is no object')
      addChoice(stream, choice)
    }
  }
  return stream
}

/** The data of every event, as text. */
export function dataOf(sse: string): string[] {
  const decoder = createSseDecoder()
  return [...decoder.push(sse), ...decoder.end()].flatMap((item) =>
    item.kind === 'event' ? [item.data] : [],
  )
}

function addChoice({ choices }: AssembledStream, choice: Record<string, unknown>): void {
  const assembled = (choices[Number(choice['index'])] ??= {
    content: '',
    reasoning: '',
    calls: [],
    finishReasons: [],
  })
  const delta = isRecord(choice['delta']) ? choice['delta'] : {}
  assembled.content += textOf(delta['content'])
  assembled.reasoning += textOf(delta['reasoning_content'] ?? delta['reasoning'] ?? delta['reasoning_text'])
  for (const entry of arrayOf(delta['tool_calls'])) addCall(assembled, entry)
  if (typeof choice['finish_reason'] === 'string') assembled.finishReasons.push(choice['finish_reason'])
}

function addCall({ calls }: AssembledChoice, entry: unknown): void {
  if (!isRecord(entry)) throw new Error('a call that is no object')
  const index = entry['index']
  if (typeof index !== 'number') throw new Error('a call without an index')
  const fn = isRecord(entry['function']) ? entry['function'] : {}
  const call = calls[index]
  if (call === undefined) {
    const { id, type } = entry
    if (typeof id !== 'string' || id === '') throw new Error('a call without an id')
    if (index !== calls.length) throw new Error(`call ${index} after ${calls.length} calls`)
    calls.push({ id, type: textOf(type), name: textOf(fn['name']), arguments: textOf(fn['arguments']) })
  } else {
    call.name += call.name === '' ? textOf(fn['name']) : ''
    call.arguments += textOf(fn['arguments'])
  }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new Error(`text expected, not ${JSON.stringify(value)}`)
  return value
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
