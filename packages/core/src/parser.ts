import type { EndReason } from './engines/engine.ts'
import { EventCollector, type ModelEvent } from './events.ts'
import type { FormatId } from './formats/format-id.ts'
import { assemble, type ParsedOutput } from './parsed-output.ts'
import { createParserStage, type ParserOptions, type ParserStage } from './parser-stage.ts'
import type { ProblemCode } from './problems.ts'
import type { Channel } from './reader/text-flow.ts'

/** One response, one parser. Synchronous; never throws on what a model wrote. */
export interface PushParser {
  /** The format whose syntax the stream has shown, or null before it has. */
  readonly format: FormatId | null
  push(text: string, channel?: Channel): ModelEvent[]
  end(reason?: EndReason): ModelEvent[]
}

export function createParser(options: ParserOptions = {}): PushParser {
  const collector = new EventCollector()
  return new CollectingParser(createParserStage(options, collector), collector)
}

// A class for the same reason as the stage: the getter.
class CollectingParser implements PushParser {
  private readonly stage: ParserStage
  private readonly collector: EventCollector

  constructor(stage: ParserStage, collector: EventCollector) {
    this.stage = stage
    this.collector = collector
  }

  get format(): FormatId | null {
    return this.stage.format
  }

  push(text: string, channel: Channel = 'content'): ModelEvent[] {
    this.stage.push(text, channel)
    return this.collector.take()
  }

  end(reason?: EndReason): ModelEvent[] {
    this.stage.end(reason)
    return this.collector.take()
  }
}

export interface ParseOptions extends ParserOptions {
  readonly channel?: Channel
  readonly finishReason?: EndReason
}

/**
 * Whether a text holds calls, all of them whole. Of a text that may have been cut, half a call could otherwise look like a
 * whole one.
 */
export function holdsWholeCalls(text: string, options: ParserOptions): boolean {
  if (options.calls === 'remove' || options.tools?.length === 0) return false
  const { toolCalls, problems } = parseToolCalls(text, { ...options, onOpen: undefined })
  return toolCalls.length > 0 && !problems.some(({ code }) => halfCalls.has(code))
}

const halfCalls: ReadonlySet<ProblemCode> = new Set([
  'truncated-call',
  'invalid-arguments',
  'unresolved-name',
  'overflow',
])

/** Reads a whole output: the streaming path with one chunk, or with the chunks that the caller passes. */
export function parseToolCalls(text: string | readonly string[], options: ParseOptions = {}): ParsedOutput {
  const parser = createParser(options)
  const chunks = typeof text === 'string' ? [text] : text
  const events = chunks.flatMap((chunk) => parser.push(chunk, options.channel))
  return assemble([...events, ...parser.end(options.finishReason)])
}
