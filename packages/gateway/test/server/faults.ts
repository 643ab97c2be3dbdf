import { chunk, type Script } from './scripted-upstream.ts'

/** So short that a test can wait for each of them, and long enough for a machine that has much to do. */
export const shortTimeouts = {
  idle: '600ms',
  headers: '1200ms',
  connect: '600ms',
  finishGrace: '100ms',
  ping: '10s',
}

/** The beginning of an answer. */
export const says = chunk({ role: 'assistant', content: 'Paris is' })

/** What each client gets: the status, the type of the error and, for OpenAI's, its code. */
export interface Outcome {
  readonly status: readonly [anthropic: number, openai: number]
  readonly type: readonly [anthropic: string, openai: string]
  readonly code: string | number
}

export interface Fault {
  readonly upstream: string
  readonly script: Script
  readonly outcome: Outcome
  /** What the client is told contains this. */
  readonly says?: string
}

export const broken = (code: string): Outcome => ({
  status: [502, 502],
  type: ['api_error', 'upstream_error'],
  code,
})
export const late = (code: string): Outcome => ({
  status: [504, 504],
  type: ['timeout_error', 'timeout'],
  code,
})
