import type { AnswerIds } from '../answer-ids.ts'
import type { ChoiceReaderOptions } from './choice-reader.ts'
import type { RewriteOptions } from './rewrite-stream.ts'

/** What the reader of one choice gets of the options of the whole answer. */
export function choiceOptions(options: RewriteOptions, ids: AnswerIds, index: number): ChoiceReaderOptions {
  return {
    parser: options.openParser(),
    ids,
    failOnInvalidArguments: options.failOnInvalidArguments ?? false,
    finishesByDone: options.faults === 'fail',
    clientToolName: options.clientToolName,
    onCall: options.onCall,
    record: (event) => options.onRecord?.(event, index),
    warn: (message) => options.onWarning?.(`choice ${index}: ${message}`),
  }
}
