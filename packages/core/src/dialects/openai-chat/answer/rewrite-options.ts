import type { AnswerIds, MintId } from '../../../answer/ids.ts'
import type { CallDelivery } from '../../../answer/calls/order.ts'
import type { AnswerReports } from '../../../answer/reports.ts'
import type { DeclaredTools } from '../../../answer/calls/declared-tools.ts'
import type { ChoiceReaderOptions, RecordedEvent, TextParser } from './choice-reader.ts'

/** Of an answer in this dialect, streamed or whole. */
export interface RewriteOptions extends AnswerReports {
  /** Called once for each choice of the stream. */
  readonly openParser: () => TextParser
  readonly mint: MintId
  /** The ids that the conversation already holds: a call of the stream gets none of them. */
  readonly conversationIds?: ReadonlySet<string> | undefined
  /** With `complete` a call waits until it is whole, and one whose arguments are not JSON fails the answer. */
  readonly delivery?: CallDelivery | undefined
  /** What was passed on, or dropped, although something is wrong with it. */
  readonly onWarning?: ((message: string) => void) | undefined
  /** Each problem and repair of the parser, with the index of its choice. */
  readonly onRecord?: ((event: RecordedEvent, choiceIndex: number) => void) | undefined
  /**
   * What becomes of a stream that is not as it should be. `pass` (default): what came is passed on, with a warning.
   * `fail`: a stream that was cut off, or holds what is no JSON, ends with an error; one that is whole
   * gets the finish reason and the `[DONE]` that it lacks.
   */
  readonly faults?: 'pass' | 'fail' | undefined
  /** Leaves out the chunk that holds nothing but the usage: the client did not ask for it. */
  readonly withholdUsage?: boolean | undefined
  /** Asked for where a call has come. Undefined: nobody knows the tools. */
  readonly declaredTools?: (() => DeclaredTools) | undefined
  /** The name by which the client knows a tool. */
  readonly clientToolName?: ((name: string) => string) | undefined
  /** The longest event. */
  readonly maxEventBytes?: number | undefined
}

/** What the reader of one choice gets of the options of the whole answer. */
export function choiceOptions(options: RewriteOptions, ids: AnswerIds, index: number): ChoiceReaderOptions {
  return {
    parser: options.openParser(),
    ids,
    delivery: options.delivery ?? 'incremental',
    finishesByDone: options.faults === 'fail',
    declaredTools: options.declaredTools,
    clientToolName: options.clientToolName,
    onCall: options.onCall,
    record: (event) => options.onRecord?.(event, index),
    warn: (message) => options.onWarning?.(`choice ${index}: ${message}`),
  }
}
