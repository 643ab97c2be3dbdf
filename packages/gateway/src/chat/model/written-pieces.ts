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
  const [candidate] = listIn(body, 'candidates')
  if (candidate !== undefined) return listIn(fieldOf(candidate, 'content'), 'parts').flatMap(partPieces)
  const type = fieldOf(body, 'type')
  if (typeof type === 'string' && type.startsWith('response.')) return eventPieces(type, body)
  const output = listIn(body, 'output')
  if (output.length > 0) return output.flatMap(itemPieces)
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

/** A part of a candidate of Gemini's dialect. */
function partPieces(part: unknown): WrittenPiece[] {
  const text = fieldOf(part, 'text')
  const call = fieldOf(part, 'functionCall')
  const pieces =
    typeof text === 'string' && text !== ''
      ? [{ field: fieldOf(part, 'thought') === true ? 'thought' : 'text', text }]
      : []
  const name = fieldOf(call, 'name')
  if (typeof name !== 'string') return pieces
  return [
    ...pieces,
    { field: 'functionCall', text: `${name} ${JSON.stringify(fieldOf(call, 'args') ?? {})}` },
  ]
}

/** An event of a response. What follows the deltas repeats them. */
function eventPieces(type: string, event: unknown): WrittenPiece[] {
  const delta = fieldOf(event, 'delta')
  const [, field] = /^response\.(\w+)\.delta$/.exec(type) ?? []
  if (field !== undefined && typeof delta === 'string' && delta !== '') {
    return [{ field: callFields.has(field) ? 'call' : field, text: delta }]
  }
  const name = type === 'response.output_item.added' ? fieldOf(fieldOf(event, 'item'), 'name') : undefined
  return typeof name === 'string' ? [{ field: 'call', text: `${name} ` }] : []
}

const callFields: ReadonlySet<string> = new Set(['function_call_arguments', 'custom_tool_call_input'])

/** An item of a whole response. */
function itemPieces(item: unknown): WrittenPiece[] {
  const name = fieldOf(item, 'name')
  if (typeof name === 'string') {
    const written = fieldOf(item, 'arguments') ?? fieldOf(item, 'input')
    return [{ field: 'call', text: `${name} ${typeof written === 'string' ? written : ''}` }]
  }
  return [...listIn(item, 'summary'), ...listIn(item, 'content')].flatMap((part) => {
    const text = fieldOf(part, 'text')
    const type = fieldOf(part, 'type')
    return typeof text === 'string' && text !== '' ? [{ field: String(type), text }] : []
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
