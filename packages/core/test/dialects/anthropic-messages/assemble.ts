import { createSseDecoder } from '../../../src/sse/decoder.ts'
import { isRecord } from '../../support/is-record.ts'

export interface AssembledMessage {
  /** Blocks that were closed, as a whole message has them. */
  content: Record<string, unknown>[]
  /** Blocks that were opened and not closed. */
  openBlocks: number
  /** The calls whose input is not whole: only the last block of a message that was cut may be one. */
  halfCalls: Record<string, unknown>[]
  id: unknown
  model: unknown
  stop_reason: unknown
  stop_sequence: unknown
  startUsage: unknown
  usage: unknown
  error: unknown
  events: string[]
}

/** Puts a message stream together as a client does, and refuses what a strict client would refuse. */
export function assembleAnthropic(sse: string): AssembledMessage {
  const message: AssembledMessage = {
    content: [],
    openBlocks: 0,
    halfCalls: [],
    id: undefined,
    model: undefined,
    stop_reason: undefined,
    stop_sequence: undefined,
    startUsage: undefined,
    usage: undefined,
    error: undefined,
    events: [],
  }
  const reader = new BlockReader(message)
  const decoder = createSseDecoder()
  for (const item of [...decoder.push(sse), ...decoder.end()]) {
    if (item.kind !== 'event') continue
    const data: unknown = JSON.parse(item.data)
    if (!isRecord(data)) throw new Error('an event that is no object')
    if (data['type'] !== item.event)
      throw new Error(`event ${String(item.event)} says ${String(data['type'])}`)
    reader.take(String(item.event), data)
  }
  message.openBlocks = reader.isOpen ? 1 : 0
  return message
}

class BlockReader {
  private readonly message: AssembledMessage
  private block: Record<string, unknown> | null = null
  private json = ''
  private started = 0

  constructor(message: AssembledMessage) {
    this.message = message
  }

  get isOpen(): boolean {
    return this.block !== null
  }

  take(type: string, data: Record<string, unknown>): void {
    const { message } = this
    const last = message.events.at(-1)
    if (last === 'message_stop' || last === 'error') throw new Error(`${type} after ${last}`)
    if ((message.events.length === 0) !== (type === 'message_start') && type !== 'error') {
      throw new Error(`${type} as event ${message.events.length}`)
    }
    if (last === 'message_delta' && type !== 'message_stop' && type !== 'error') {
      throw new Error(`${type} after message_delta`)
    }
    message.events.push(type)
    if (type === 'message_start') this.takeStart(recordIn(data, 'message'))
    else if (type === 'content_block_start') this.takeBlockStart(data)
    else if (type === 'content_block_delta') this.takeDelta(data)
    else if (type === 'content_block_stop') this.takeStop(data)
    else if (type === 'message_delta') this.takeEnd(data)
    else if (type === 'error') message.error = data['error']
  }

  private takeStart(start: Record<string, unknown>): void {
    this.message.id = start['id']
    this.message.model = start['model']
    this.message.startUsage = countsIn(start)
  }

  private takeBlockStart(data: Record<string, unknown>): void {
    if (this.block !== null) throw new Error('a block inside a block')
    if (data['index'] !== this.started++) throw new Error(`block ${String(data['index'])} out of order`)
    this.block = { ...recordIn(data, 'content_block') }
    this.json = ''
  }

  private takeDelta(data: Record<string, unknown>): void {
    const { block } = this
    const delta = recordIn(data, 'delta')
    if (block === null || data['index'] !== this.started - 1) throw new Error('a delta outside its block')
    const [, kind = ''] =
      /^(text|thinking|signature|input_json|citations)_delta$/.exec(String(delta['type'])) ?? []
    const field = kind === 'input_json' ? 'partial_json' : kind
    const text = delta[field]
    if (kind === 'citations') return
    if (typeof text !== 'string' || text === '') throw new Error(`an empty ${kind} delta`)
    if (kind === 'input_json') {
      mustBe(block, 'tool_use')
      this.json += text
    } else {
      mustBe(block, kind === 'text' ? 'text' : 'thinking')
      block[kind] = kind === 'signature' ? text : String(block[kind]) + text
    }
  }

  private takeStop(data: Record<string, unknown>): void {
    const { block } = this
    if (block === null || data['index'] !== this.started - 1) throw new Error('a stop outside its block')
    this.block = null
    if (block['type'] === 'tool_use') {
      // A client that goes by the deltas alone loses an input that is only in the start.
      block['input'] = wholeJson(this.json)
      if (this.json !== '' && block['input'] === undefined) {
        this.message.halfCalls.push(block)
        return
      }
    }
    this.message.content.push(block)
  }

  private takeEnd(data: Record<string, unknown>): void {
    const delta = recordIn(data, 'delta')
    this.message.stop_reason = delta['stop_reason']
    if (this.block !== null) throw new Error('message_delta inside a block')
    const last = this.message.content.at(-1)
    const isCut = delta['stop_reason'] === 'max_tokens'
    if (isCut && last?.['type'] === 'tool_use' && last['input'] === undefined) {
      this.message.halfCalls.push(...this.message.content.splice(-1))
    }
    if (this.message.halfCalls.length > (isCut ? 1 : 0)) throw new Error('half a call in a whole message')
    this.message.stop_sequence = delta['stop_sequence']
    this.message.usage = countsIn(data)
  }
}

function wholeJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function mustBe(block: Record<string, unknown>, type: string): void {
  if (block['type'] !== type) throw new Error(`a delta for ${type} in a block of ${String(block['type'])}`)
}

function countsIn(data: Record<string, unknown>): Record<string, unknown> {
  const usage = recordIn(data, 'usage')
  if (typeof usage['output_tokens'] !== 'number') throw new Error('usage without output_tokens')
  return usage
}

function recordIn(data: Record<string, unknown>, field: string): Record<string, unknown> {
  const value = data[field]
  if (!isRecord(value)) throw new Error(`${field} is no object`)
  return value
}
