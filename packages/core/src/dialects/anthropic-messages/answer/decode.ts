import type { AnswerReaderOptions } from '../../../answer/calls/reader.ts'
import { AnswerStream, type AnswerDecoder, type AnswerStreamOptions } from '../../../answer/stream.ts'
import { isJsonObject } from '../../../json/objects.ts'
import { protocolError } from '../../../answer/faults.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import { MessageAnswer } from './message-answer.ts'

/** Reads the event stream of a message. */
export function decodeAnthropicStream(
  reading: AnswerReaderOptions,
  options: AnswerStreamOptions,
): AnswerDecoder {
  return new AnswerStream(new MessageAnswer(reading), options, (data) => data)
}

/** Reads a whole message: a stream with one delta for each block. */
export function decodeAnthropicMessage(body: unknown, options: AnswerReaderOptions): void {
  const answer = new MessageAnswer(options)
  if (!isJsonObject(body)) {
    answer.fail(protocolError('It is not a JSON object.'))
  } else if (isErrorValue(body)) {
    answer.fail(failureFromError(body))
  } else if (!Array.isArray(body['content'])) {
    answer.fail(protocolError('It has no content.'))
  } else {
    answer.readMessage(body)
    answer.finish()
  }
}
