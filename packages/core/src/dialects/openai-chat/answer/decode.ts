import type { AnswerReaderOptions } from '../../../answer/calls/reader.ts'
import { AnswerStream, type AnswerDecoder, type AnswerStreamOptions } from '../../../answer/stream.ts'
import { isJsonObject } from '../../../json/objects.ts'
import { protocolError } from '../../../answer/faults.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import { ChatAnswer } from './chat-answer.ts'
import { unwrapEnvelope } from './envelope.ts'

/** Reads the event stream of a chat completion. */
export function decodeChatStream(reading: AnswerReaderOptions, options: AnswerStreamOptions): AnswerDecoder {
  return new AnswerStream(new ChatAnswer(reading), options, unwrapEnvelope)
}

/** Reads a whole chat completion: a stream with one delta. */
export function decodeChatCompletion(body: unknown, options: AnswerReaderOptions): void {
  const answer = new ChatAnswer(options)
  const completion = unwrapEnvelope(body)
  if (!isJsonObject(completion)) {
    answer.fail(protocolError('It is not a JSON object.'))
  } else if (isErrorValue(completion)) {
    answer.fail(failureFromError(completion))
  } else if (!Array.isArray(completion['choices']) || completion['choices'].length === 0) {
    answer.fail(protocolError('It has no choices.'))
  } else {
    answer.read(completion)
    answer.finish()
  }
}
