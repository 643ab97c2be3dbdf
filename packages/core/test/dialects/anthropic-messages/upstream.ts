import { isRecord } from '../../support/is-record.ts'

/** One event of a message stream. */
export function ant(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

export const messageStart = ant('message_start', {
  message: {
    id: 'msg_up',
    type: 'message',
    role: 'assistant',
    model: 'up-model',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 9, cache_read_input_tokens: 4, output_tokens: 1, service_tier: 'standard' },
  },
})

export const messageStop = ant('message_stop')

export function messageEnd(stopReason: string | null, more: object = {}): string {
  return (
    ant('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null, ...more },
      usage: { output_tokens: 12 },
    }) + messageStop
  )
}

export function blockStart(index: number, block: object): string {
  return ant('content_block_start', { index, content_block: block })
}

export function blockDelta(index: number, delta: object): string {
  return ant('content_block_delta', { index, delta })
}

export function blockStop(index: number): string {
  return ant('content_block_stop', { index })
}

export function textBlock(index: number, ...pieces: string[]): string {
  return [
    blockStart(index, { type: 'text', text: '' }),
    ...said(pieces).map((text) => blockDelta(index, { type: 'text_delta', text })),
    blockStop(index),
  ].join('')
}

export function thinkingBlock(index: number, signature: string, ...pieces: string[]): string {
  return [
    blockStart(index, { type: 'thinking', thinking: '', signature: '' }),
    ...said(pieces).map((thinking) => blockDelta(index, { type: 'thinking_delta', thinking })),
    blockDelta(index, { type: 'signature_delta', signature }),
    blockStop(index),
  ].join('')
}

export function toolBlock(index: number, id: string, name: string, ...pieces: string[]): string {
  return [
    blockStart(index, { type: 'tool_use', id, name, input: {} }),
    ...said(pieces).map((partial_json) => blockDelta(index, { type: 'input_json_delta', partial_json })),
    blockStop(index),
  ].join('')
}

/** The events that stream these whole blocks. */
export function blocksAsEvents(blocks: readonly unknown[]): string {
  return blocks
    .map((block, index) => {
      if (!isRecord(block)) throw new Error('a block that is no object')
      const { type, text, thinking, signature, id, name, input } = block
      if (type === 'text') return textBlock(index, String(text))
      if (type === 'thinking') return thinkingBlock(index, String(signature), String(thinking))
      return toolBlock(index, String(id), String(name), JSON.stringify(input))
    })
    .join('')
}

function said(pieces: readonly string[]): string[] {
  return pieces.filter((piece) => piece !== '')
}
