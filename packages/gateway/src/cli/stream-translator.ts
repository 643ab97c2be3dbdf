import {
  type AnswerTranslation,
  type DialectId,
  dialects,
  detectFormat,
  makeSignature,
  type ParserOptions,
  resolveFormatId,
  translateAnswer,
} from '@dragoman/core'
import { countingMint, replayedId } from '../recorder/replay.ts'
import { warningWatcher } from './warning-watcher.ts'

export interface StreamTranslator {
  push(chunk: Buffer): string
  end(): string
}

export interface StreamTranslatorOptions {
  readonly from: DialectId
  readonly to: DialectId
  readonly parser: ParserOptions
  readonly warn: (message: string) => void
}

/** Makes one event stream from another. Ids are counted, so that the same input always gives the same output. */
export function createStreamTranslator(options: StreamTranslatorOptions): StreamTranslator {
  const translation = openTranslation(options)
  const { errors } = dialects[options.to]
  return {
    push: (chunk) => translation.push(chunk),
    end: () => {
      const text = translation.end()
      const { failure, isStarted } = translation
      if (failure === null) return text
      options.warn(`failure ${failure.code}: ${failure.message}`)
      // There is no response here whose status could tell the failure.
      return isStarted ? text : errors.event(failure)
    },
  }
}

function openTranslation({ from, to, parser, warn }: StreamTranslatorOptions): AnswerTranslation {
  const model = parser.model ?? 'unknown'
  const format = resolveFormatId(parser.format ?? 'auto') ?? detectFormat(model)
  return translateAnswer({
    from,
    to,
    delivered: 'stream',
    wants: 'stream',
    includeUsage: true,
    parser,
    mint: countingMint(to),
    faults: 'pass',
    watcher: warningWatcher(warn),
    onWarning: warn,
    encoding: () => ({
      id: dialects[to].answer.idPrefix + replayedId,
      model,
      created: 0,
      inputTokens: () => 0,
      signature: (field, proof) =>
        makeSignature({ format, field, model, ...(proof === null ? {} : { proof }) }),
    }),
  })
}
