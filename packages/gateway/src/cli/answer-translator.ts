import {
  type AnswerTranslation,
  type DialectId,
  dialects,
  detectFormat,
  type Failure,
  makeSignature,
  type ParserOptions,
  resolveFormatId,
  translateAnswer,
} from '@dragoman/core'
import { countingMint, replayedId } from '../recorder/replay.ts'
import { warningWatcher } from './warning-watcher.ts'

export interface AnswerTranslator {
  push(chunk: Buffer): string
  end(): string
}

export interface AnswerTranslatorOptions {
  readonly from: DialectId
  readonly to: DialectId
  /** How the answer comes, and how it goes on. */
  readonly delivered: 'stream' | 'whole'
  /** The model that the answer names, or null. */
  readonly model: string | null
  readonly parser: ParserOptions
  readonly warn: (message: string) => void
}

/** Makes an answer in one dialect from one in another. Ids are counted, so that the same input always gives the same output. */
export function createAnswerTranslator(options: AnswerTranslatorOptions): AnswerTranslator {
  const translation = openTranslation(options)
  const { errors } = dialects[options.to]
  const refused = (failure: Failure): string =>
    options.delivered === 'stream' ? errors.event(failure) : JSON.stringify(errors.body(failure))
  return {
    push: (chunk) => translation.push(chunk),
    end: () => {
      const text = translation.end()
      const { failure, isStarted } = translation
      if (failure === null) return text
      options.warn(`failure ${failure.code}: ${failure.message}`)
      // There is no response here whose status could tell the failure.
      return isStarted ? text : refused(failure)
    },
  }
}

function openTranslation(options: AnswerTranslatorOptions): AnswerTranslation {
  const { from, to, delivered, parser, warn } = options
  const model = parser.model ?? options.model ?? 'unknown'
  const format = resolveFormatId(parser.format ?? 'auto') ?? detectFormat(model)
  return translateAnswer({
    from,
    to,
    delivered,
    wants: delivered,
    includeUsage: true,
    parser,
    mint: countingMint(to),
    // A stream goes on as far as it can. A whole answer is one or it is none.
    faults: delivered === 'stream' ? 'pass' : 'fail',
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
