import { at } from '../server/ask.ts'

/** What was said, whoever's dialect it stands in: ids, roles of results and reasoning are left out. */
export type Said =
  | { readonly by: 'user' | 'model' | 'tool'; readonly text: string }
  | { readonly by: 'model'; readonly calls: string; readonly input: unknown }

export function saidIn(messages: unknown): Said[] {
  return items(messages).flatMap((message) => {
    const role = String(at(message, 'role'))
    if (role === 'system') return []
    const by = role === 'assistant' ? 'model' : role === 'tool' ? 'tool' : 'user'
    return saidByBlocks(at(message, 'content'), by).concat(chatCalls(message))
  })
}

function saidByBlocks(content: unknown, by: 'user' | 'model' | 'tool'): Said[] {
  if (typeof content === 'string') return content === '' ? [] : [{ by, text: content }]
  return items(content).flatMap((block): Said[] => {
    switch (at(block, 'type')) {
      case 'text':
        return [{ by, text: String(at(block, 'text')) }]
      case 'tool_use':
        return [{ by: 'model', calls: String(at(block, 'name')), input: at(block, 'input') }]
      case 'tool_result':
        return saidByBlocks(at(block, 'content'), 'tool')
      default:
        return []
    }
  })
}

function chatCalls(message: unknown): Said[] {
  return items(at(message, 'tool_calls')).map((call) => ({
    by: 'model',
    calls: String(at(call, 'function', 'name')),
    input: JSON.parse(String(at(call, 'function', 'arguments'))),
  }))
}

export interface ToolIds {
  readonly calls: readonly { readonly id: string; readonly name: string }[]
  /** Of the results, in the order in which they stand. */
  readonly results: readonly string[]
}

export function toolIdsIn(messages: unknown): ToolIds {
  const calls = items(messages).flatMap((message) => {
    const uses = blocks(message, 'tool_use').map((block) => ({
      id: String(at(block, 'id')),
      name: String(at(block, 'name')),
    }))
    const called = items(at(message, 'tool_calls')).map((call) => ({
      id: String(at(call, 'id')),
      name: String(at(call, 'function', 'name')),
    }))
    return called.concat(uses)
  })
  const results = items(messages).flatMap((message) =>
    at(message, 'role') === 'tool'
      ? [String(at(message, 'tool_call_id'))]
      : blocks(message, 'tool_result').map((block) => String(at(block, 'tool_use_id'))),
  )
  return { calls, results }
}

/** `functions.{name}:{n}`, n from 0 over the whole conversation. */
export function kimiIds({ calls }: ToolIds): string[] {
  return calls.map(({ name }, index) => `functions.${name}:${index}`)
}

function blocks(message: unknown, type: string): unknown[] {
  return items(at(message, 'content')).filter((block) => at(block, 'type') === type)
}

export function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
