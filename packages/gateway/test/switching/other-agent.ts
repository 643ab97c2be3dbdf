import { at } from '../server/ask.ts'
import { items } from './conversation-view.ts'

/** The conversation of one agent, as it would stand in the requests of another that took it over. */
export function asMessages(input: unknown): Record<string, unknown>[] {
  const messages: { role: string; content: object[] }[] = []
  for (const item of items(input)) {
    const { role, block } = asBlock(item)
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(block)
    else messages.push({ role, content: [block] })
  }
  return messages
}

function asBlock(item: unknown): { readonly role: string; readonly block: object } {
  switch (at(item, 'type')) {
    case 'reasoning':
      return {
        role: 'assistant',
        block: {
          type: 'thinking',
          thinking: at(item, 'summary', 0, 'text'),
          signature: at(item, 'encrypted_content'),
        },
      }
    case 'function_call':
      return {
        role: 'assistant',
        block: {
          type: 'tool_use',
          id: at(item, 'call_id'),
          name: at(item, 'name'),
          input: JSON.parse(String(at(item, 'arguments'))),
        },
      }
    case 'function_call_output':
      return {
        role: 'user',
        block: { type: 'tool_result', tool_use_id: at(item, 'call_id'), content: at(item, 'output') },
      }
    default:
      return {
        role: String(at(item, 'role')),
        block: { type: 'text', text: at(item, 'content', 0, 'text') },
      }
  }
}

/** The other way. Ids of items are made up, as an agent does that never saw them. */
export function asItems(messages: unknown): object[] {
  return items(messages).flatMap((message) => {
    const role = String(at(message, 'role'))
    return items(at(message, 'content')).map((block, index) => asItem(block, role, index))
  })
}

function asItem(block: unknown, role: string, index: number): object {
  switch (at(block, 'type')) {
    case 'thinking':
      return {
        type: 'reasoning',
        id: `rs_${index}`,
        summary: [{ type: 'summary_text', text: at(block, 'thinking') }],
        content: null,
        encrypted_content: at(block, 'signature'),
      }
    case 'tool_use':
      return {
        type: 'function_call',
        id: `fc_${index}`,
        call_id: at(block, 'id'),
        name: at(block, 'name'),
        arguments: JSON.stringify(at(block, 'input')),
      }
    case 'tool_result':
      return {
        type: 'function_call_output',
        call_id: at(block, 'tool_use_id'),
        output: at(block, 'content'),
      }
    default:
      return {
        type: 'message',
        role,
        content: [{ type: role === 'user' ? 'input_text' : 'output_text', text: at(block, 'text') }],
      }
  }
}

export function asTools(functions: unknown): object[] {
  return items(functions).map((tool) => ({ name: at(tool, 'name'), input_schema: at(tool, 'parameters') }))
}

export function asFunctions(tools: unknown): object[] {
  return items(tools).map((tool) => ({
    type: 'function',
    name: at(tool, 'name'),
    parameters: at(tool, 'input_schema'),
    strict: false,
  }))
}
