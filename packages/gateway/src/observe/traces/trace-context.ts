import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** A place in a trace, as it travels in the headers `traceparent` and `tracestate`. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Whether spans of this trace are kept. */
  readonly isSampled: boolean
  /** What vendors add to it. Empty where nobody did. */
  readonly state: string
}

/** Later versions may add fields behind these four. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** A longer one may be dropped as a whole, which the standard allows. */
const LONGEST_STATE = 512

/** The place in a trace from which a request was sent, or null where its headers tell none. */
export function contextIn({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext | null {
  const parts = typeof traceparent === 'string' ? pattern.exec(traceparent.trim()) : null
  if (parts === null) return null
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = parts
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (isZero(traceId) || isZero(spanId)) return null
  const state = [tracestate ?? ''].flat().join(',').trim()
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & 1) === 1,
    state: isPlain(state) ? state : '',
  }
}

export function contextHeaders({ traceId, spanId, isSampled, state }: TraceContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
  return state === '' ? { traceparent } : { traceparent, tracestate: state }
}

export function newTraceId(): string {
  return newId(16)
}

export function newSpanId(): string {
  return newId(8)
}

/** An id of zeros alone stands for none. */
function newId(bytes: number): string {
  const id = randomBytes(bytes).toString('hex')
  return isZero(id) ? newId(bytes) : id
}

function isZero(id: string): boolean {
  return /^0+$/.test(id)
}

/** A header that is sent on must hold nothing that no header may hold. */
function isPlain(state: string): boolean {
  return state.length <= LONGEST_STATE && /^[\u0020-\u007e]*$/.test(state)
}
