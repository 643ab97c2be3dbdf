import { createSseDecoder } from '@dragoman/core'
import { at, type ClientDialect } from '../server/ask.ts'
import type { Message } from './client.ts'

/** The message that a client makes of an answer, to be sent back as it is. */
export function assembledMessage(dialect: ClientDialect, isStream: boolean, body: string): Message {
  if (!isStream) return dialect === 'openai' ? wholeChat(JSON.parse(body)) : wholeAnthropic(JSON.parse(body))
  const events = eventsIn(body)
  const error = events.map((event) => at(event, 'error')).find((found) => found !== undefined)
  if (error !== undefined) throw new Error(JSON.stringify(error))
  return dialect === 'openai' ? streamedChat(events) : streamedAnthropic(events)
}

function eventsIn(body: string): unknown[] {
  const decoder = createSseDecoder()
  return [...decoder.push(body), ...decoder.end()]
    .flatMap((item) => (item.kind === 'event' && item.data !== '[DONE]' ? [item.data] : []))
    .map((data): unknown => JSON.parse(data))
}

function wholeChat(body: unknown): Message {
  return Object(at(body, 'choices', 0, 'message'))
}

function wholeAnthropic(body: unknown): Message {
  return { role: 'assistant', content: at(body, 'content') }
}

function streamedChat(events: readonly unknown[]): Message {
  const texts: Record<string, string> = {}
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = []
  for (const event of events) {
    const delta = at(event, 'choices', 0, 'delta')
    for (const field of ['content', 'reasoning_content', 'reasoning']) {
      const piece = at(delta, field)
      if (typeof piece === 'string' && piece !== '') texts[field] = (texts[field] ?? '') + piece
    }
    const pieces = at(delta, 'tool_calls')
    for (const piece of Array.isArray(pieces) ? pieces : []) {
      const index = Number(at(piece, 'index'))
      const call = (calls[index] ??= {
        id: String(at(piece, 'id')),
        type: 'function',
        function: { name: String(at(piece, 'function', 'name')), arguments: '' },
      })
      call.function.arguments += textAt(piece, 'function', 'arguments')
    }
  }
  return {
    role: 'assistant',
    content: texts['content'] ?? null,
    ...texts,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

function streamedAnthropic(events: readonly unknown[]): Message {
  const blocks: Record<string, unknown>[] = []
  const json: string[] = []
  for (const event of events) {
    const index = Number(at(event, 'index'))
    if (at(event, 'type') === 'content_block_start') blocks[index] = { ...Object(at(event, 'content_block')) }
    if (at(event, 'type') !== 'content_block_delta') continue
    for (const field of ['text', 'thinking', 'signature']) {
      const piece = at(event, 'delta', field)
      if (typeof piece === 'string')
        blocks[index] = { ...blocks[index], [field]: String(blocks[index]?.[field]) + piece }
    }
    json[index] = (json[index] ?? '') + textAt(event, 'delta', 'partial_json')
  }
  for (const [index, block] of blocks.entries()) {
    if (block['type'] === 'tool_use') block['input'] = JSON.parse(json[index] || '{}')
  }
  return { role: 'assistant', content: blocks }
}

function textAt(value: unknown, ...path: readonly string[]): string {
  const text = at(value, ...path)
  return typeof text === 'string' ? text : ''
}
