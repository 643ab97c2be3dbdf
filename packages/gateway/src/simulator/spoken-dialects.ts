import { type DialectId, encodeSse, type FormatId } from '@dragoman/core'
import { completionBody, completionChunks } from './chat-completion.ts'
import { type ChatRequest, readChatRequest } from './chat-request.ts'
import { contentBody, contentEvents } from './gemini-answer.ts'
import { readGeminiRequest, withAddress } from './gemini-request.ts'
import type { Way } from './imitation.ts'
import type { LaidOut } from './lay-out.ts'
import { messageBody, messageEvents } from './messages-answer.ts'
import { readMessagesRequest } from './messages-request.ts'
import { responseBody, responseEvents, responseFailure } from './responses-answer.ts'
import { readResponsesRequest } from './responses-request.ts'
import type { ScriptedAnswer } from './script.ts'
import type { Envelope, StreamedAnswer } from './streamed-answer.ts'

/** How the simulator speaks a dialect. What its model says and which faults it plays is the same in all of them. */
export interface SpokenDialect {
  /** In front of the id of an answer. */
  readonly idPrefix: string
  readonly way: Way
  /** The format by whose rules a server of the dialect checks a history, whatever its model; null where the model decides. */
  readonly rules: FormatId | null
  /** The body with what the dialect says in the address of a request; left out where it says nothing there. */
  readonly addressed?: (body: unknown, path: string) => unknown
  /** Throws `InvalidRequest` where the body is no request of the dialect. */
  readonly read: (body: unknown) => ChatRequest
  readonly stream: (answer: ScriptedAnswer, laidOut: LaidOut, envelope: Envelope) => StreamedAnswer
  readonly whole: (answer: ScriptedAnswer, laidOut: LaidOut, envelope: Envelope) => unknown
  readonly error: (error: SimulatedError) => unknown
  /** The error of a stream that has begun. */
  readonly errorEvent: (error: SimulatedError) => string
}

export interface SimulatedError {
  readonly status: number
  readonly type: string
  readonly message: string
}

export const spoken: Readonly<Record<DialectId, SpokenDialect>> = {
  'openai-chat': {
    idPrefix: 'chatcmpl-sim-',
    way: 'chat',
    rules: null,
    read: readChatRequest,
    stream: completionChunks,
    whole: completionBody,
    error: commonError,
    errorEvent: (error) => encodeSse({ data: JSON.stringify(commonError(error)) }),
  },
  'anthropic-messages': {
    idPrefix: 'sim_',
    way: 'messages',
    rules: 'anthropic',
    read: readMessagesRequest,
    stream: messageEvents,
    whole: messageBody,
    error: commonError,
    errorEvent: (error) => encodeSse({ event: 'error', data: JSON.stringify(commonError(error)) }),
  },
  'openai-responses': {
    idPrefix: 'sim',
    way: 'responses',
    rules: null,
    read: readResponsesRequest,
    stream: responseEvents,
    whole: responseBody,
    error: commonError,
    errorEvent: ({ type, message }) => responseFailure(type, message),
  },
  gemini: {
    idPrefix: 'sim_',
    way: 'contents',
    // Its ids may be left out, so none is a wrong one.
    rules: 'standard',
    addressed: withAddress,
    read: readGeminiRequest,
    stream: contentEvents,
    whole: contentBody,
    error: contentError,
    errorEvent: (error) => encodeSse({ data: JSON.stringify(contentError(error)) }),
  },
}

/** An error in a shape that the clients of most dialects know. */
export function commonError({ status, type, message }: SimulatedError): object {
  return { type: 'error', error: { message, type, param: null, code: status } }
}

function contentError({ status, message }: SimulatedError): object {
  return { error: { code: status, message, status: statusWords[status] ?? 'INTERNAL' } }
}

const statusWords: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}
