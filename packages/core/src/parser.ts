import type { EndReason } from './engines/engine.ts'
import { EventCollector, type ModelEvent } from './events.ts'
import type { FormatId } from './formats/format-id.ts'
import { assemble, type ParsedOutput } from './parsed-output.ts'
import {
  createParserStage,
  createPassingStage,
  type ParserOptions,
  type ParserStage,
  type PassingStage,
} from './parser-stage.ts'
import type { Channel } from './reader/text-flow.ts'

/** One response, one parser. Synchronous; never throws on what a model wrote. */
export interface PushParser {
  /** The format whose syntax the stream has shown, or null before it has. */
  readonly format: FormatId | null
  push(text: string, channel?: Channel): ModelEvent[]
  end(reason?: EndReason): ModelEvent[]
}

/** For stages inside this package, as `PassingStage` is. */
export type PassingParser = PushParser & Pick<PassingStage, 'countPassing'>

export function createParser(options: ParserOptions = {}): PushParser {
  const collector = new EventCollector()
  return new CollectingParser(createParserStage(options, collector), collector)
}

export function createPassingParser(options: ParserOptions = {}): PassingParser {
  const collector = new EventCollector()
  return new CountingParser(createPassingStage(options, collector), collector)
}

// A class for the same reason as the stage: the getter.
class CollectingParser<S extends ParserStage> implements PushParser {
  protected readonly stage: S
  private readonly collector: EventCollector

  constructor(stage: S, collector: EventCollector) {
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

class CountingParser extends CollectingParser<PassingStage> implements PassingParser {
  countPassing(text: string, ends: readonly number[]): number {
    return this.stage.countPassing(text, ends)
  }
}

export interface ParseOptions extends ParserOptions {
  readonly channel?: Channel
  readonly finishReason?: EndReason
}

/** Reads a whole output: the streaming path with one chunk, or with the chunks that the caller passes. */
export function parseToolCalls(text: string | readonly string[], options: ParseOptions = {}): ParsedOutput {
  const parser = createParser(options)
  const chunks = typeof text === 'string' ? [text] : text
  const events = chunks.flatMap((chunk) => parser.push(chunk, options.channel))
  return assemble([...events, ...parser.end(options.finishReason)])
}
