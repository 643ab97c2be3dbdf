import {
  type AnswerSink,
  createAnthropicAnswerDecoder,
  createChatAnswerDecoder,
  type MintId,
  readAnthropicMessage,
  readChatCompletion,
} from '@dragoman/core'
import type { Plan } from '../../routes/plan.ts'

export interface ReadingOptions {
  readonly plan: Plan
  readonly sink: AnswerSink
  readonly mint: MintId
  readonly takenIds: ReadonlySet<string>
  readonly maxEventBytes: number
}

/** Reads the body of an answer, whichever dialect it is in and whether it streams or not. */
export interface AnswerReading {
  readonly state: 'reading' | 'finishing' | 'ended'
  push(chunk: Buffer): void
  end(): void
}

export function readAnswer(source: 'sse' | 'json', options: ReadingOptions): AnswerReading {
  const { plan, sink, mint, takenIds: conversationIds, maxEventBytes } = options
  const reading = { parser: plan.parser, mint, conversationIds, sink, maxEventBytes }
  const isAnthropic = plan.upstreamDialect === 'anthropic-messages'
  if (source === 'sse') return (isAnthropic ? createAnthropicAnswerDecoder : createChatAnswerDecoder)(reading)
  const read = isAnthropic ? readAnthropicMessage : readChatCompletion
  return new WholeReading((body) => read(body, reading))
}

class WholeReading implements AnswerReading {
  state: AnswerReading['state'] = 'reading'
  private readonly chunks: Buffer[] = []
  private readonly read: (body: unknown) => void

  constructor(read: (body: unknown) => void) {
    this.read = read
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk)
  }

  end(): void {
    if (this.state === 'ended') return
    this.state = 'ended'
    this.read(parsed(Buffer.concat(this.chunks).toString('utf8')))
  }
}

/** What is not JSON is no answer; the reader says so. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
