import {
  type AnswerSink,
  createAnthropicAnswerDecoder,
  createAnthropicStreamEncoder,
  createChatAnswerDecoder,
  createChatStreamEncoder,
  createChatStreamRewriter,
  detectFormat,
  makeSignature,
  type ParserOptions,
  type RecordedEvent,
  resolveFormatId,
  rewriteAnthropicStream,
  shortToolNames,
} from '@dragoman/core'
import { countingMint } from '../recorder/replay.ts'
import { AnswerWatch } from '../exchange/answer-watch.ts'
import type { Dialect } from '../base/dialect.ts'
import { warningWatcher } from './warning-watcher.ts'

export interface StreamTranslator {
  push(chunk: Buffer): string[]
  end(): string[]
}

export interface StreamTranslatorOptions {
  readonly from: Dialect
  readonly to: Dialect
  readonly parser: ParserOptions
  readonly warn: (message: string) => void
}

/** Makes one event stream from another. Ids are counted, so that the same input always gives the same output. */
export function createStreamTranslator(options: StreamTranslatorOptions): StreamTranslator {
  const { from, to, parser, warn } = options
  if (from !== to) return decodedAndEncoded(options)
  const mint = countingMint(to)
  if (to === 'anthropic-messages') {
    const onRecord = (event: RecordedEvent): void => warn(`${event.type} ${event.code}: ${event.message}`)
    return rewriteAnthropicStream({ parser, mint, onRecord })
  }
  const onRecord = (event: RecordedEvent, choice: number): void =>
    warn(`choice ${choice}: ${event.type} ${event.code}: ${event.message}`)
  return createChatStreamRewriter({ parser, mint, onWarning: warn, onRecord })
}

function decodedAndEncoded({ from, to, parser, warn }: StreamTranslatorOptions): StreamTranslator {
  let written: string[] = []
  const sink = new AnswerWatch({
    sink: encoderFor(to, parser, (text) => written.push(text)),
    watcher: warningWatcher(warn),
    toolNames: shortToolNames([]),
    redact: (text) => text,
    isStarted: () => true,
    failed: () => {},
    onEnd: () => {},
  })
  const reading = { parser, mint: countingMint(to), sink, invalidData: 'warn', onWarning: warn } as const
  const decoder =
    from === 'anthropic-messages' ? createAnthropicAnswerDecoder(reading) : createChatAnswerDecoder(reading)
  const taken = (): string[] => {
    const texts = written
    written = []
    return texts
  }
  return {
    push: (chunk) => {
      decoder.push(chunk)
      return taken()
    },
    end: () => {
      decoder.end()
      return taken()
    },
  }
}

function encoderFor(to: Dialect, parser: ParserOptions, write: (text: string) => void): AnswerSink {
  const model = parser.model ?? 'unknown'
  if (to === 'openai-chat') {
    return createChatStreamEncoder({ write, id: 'chatcmpl-0000', model, created: 0, includeUsage: true })
  }
  const format = resolveFormatId(parser.format ?? 'auto') ?? detectFormat(model)
  return createAnthropicStreamEncoder({
    write,
    messageId: 'msg_0000',
    model,
    inputTokens: 0,
    signature: (field, proof) =>
      makeSignature({ format, field, model, ...(proof === null ? {} : { proof }) }),
  })
}
