import { createSseDecoder } from '@dragoman/core'

/** A part of what a model wrote, with its place in the answer. */
export interface WrittenPiece {
  readonly field: string
  readonly text: string
}

/** Finds what a model wrote in the body of its answer, before it was parsed. */
export function writtenPieces(received: string, delivered: 'stream' | 'whole'): WrittenPiece[] {
  const pieces: { readonly field: string; text: string }[] = []
  for (const data of delivered === 'whole' ? [received] : eventData(received)) {
    for (const { field, text } of piecesIn(data)) {
      const last = pieces.at(-1)
      if (last?.field === field) last.text += text
      else pieces.push({ field, text })
    }
  }
  return pieces
}

function eventData(received: string): string[] {
  const decoder = createSseDecoder()
  return [...decoder.push(received), ...decoder.end()].flatMap((item) =>
    item.kind === 'event' ? [item.data] : [],
  )
}

function piecesIn(data: string): WrittenPiece[] {
  let body: unknown
  try {
    body = JSON.parse(data)
  } catch {
    return []
  }
  const [choice] = listIn(body, 'choices')
  if (choice !== undefined) return messagePieces(fieldOf(choice, 'delta') ?? fieldOf(choice, 'message'))
  const block = fieldOf(body, 'content_block') ?? fieldOf(body, 'delta')
  return [...(block === undefined ? listIn(body, 'content') : [block])].flatMap(blockPieces)
}

/** A message or a delta of the chat dialect. */
function messagePieces(message: unknown): WrittenPiece[] {
  if (typeof message !== 'object' || message === null) return []
  const texts = Object.entries(message).flatMap(([field, value]) =>
    typeof value === 'string' && value !== '' && field !== 'role' ? [{ field, text: value }] : [],
  )
  const calls = listIn(message, 'tool_calls').flatMap((call, at) => {
    const index = fieldOf(call, 'index')
    const parts = [
      fieldOf(fieldOf(call, 'function'), 'name'),
      fieldOf(fieldOf(call, 'function'), 'arguments'),
    ]
    const text = parts.filter((part) => typeof part === 'string').join(' ')
    return text === '' ? [] : [{ field: `tool_calls[${typeof index === 'number' ? index : at}]`, text }]
  })
  return [...texts, ...calls]
}

/** A block of a message, or a delta of one. */
function blockPieces(block: unknown): WrittenPiece[] {
  const fields = ['text', 'thinking', 'name', 'partial_json'] as const
  return fields.flatMap((field) => {
    const text = fieldOf(block, field)
    if (typeof text !== 'string' || text === '') return []
    return [{ field: field === 'name' || field === 'partial_json' ? 'tool_use' : field, text }]
  })
}

function fieldOf(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([name]) => name === field)?.[1]
}

function listIn(value: unknown, field: string): readonly unknown[] {
  const list = fieldOf(value, field)
  return Array.isArray(list) ? list : []
}
