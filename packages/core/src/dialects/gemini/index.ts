import type { Dialect } from '../dialect.ts'
import { decodeGeminiAnswer, unwrapEnvelope } from './answer/decode.ts'
import { createGeminiStreamEncoder } from './answer/encode.ts'
import { patchGeminiAnswer } from './answer/patch.ts'
import { contentAsEvents, ContentCollector, contentOfText, restOfStream } from './answer/whole.ts'
import { geminiBareError, geminiErrorBody, geminiErrorEvent, geminiErrorStatus } from './errors.ts'
import { geminiHttp } from './http.ts'
import { geminiRequests } from './request/index.ts'

/** Gemini, as Google's own clients speak it. */
export const gemini: Dialect = {
  request: geminiRequests,
  answer: {
    idPrefix: '',
    usageInStream: 'always',
    // A signature here belongs to a part, whose place has to be kept with it.
    proofIsSignature: false,
    isLegalCallId,
    refuses: ['no content', 'arguments that are no object'],
    unwrap: unwrapEnvelope,
    modelPath: ['modelVersion'],
    decode: decodeGeminiAnswer,
    patch: patchGeminiAnswer,
    encode: ({ id, request, ...options }) =>
      createGeminiStreamEncoder({
        ...options,
        responseId: id,
        thoughts: request === undefined || request.wantsThoughts === true ? 'shown' : 'hidden',
      }),
    whole: {
      toEvents: contentAsEvents,
      collect: () => new ContentCollector(),
      ofText: contentOfText,
      rest: restOfStream,
    },
  },
  errors: {
    status: geminiErrorStatus,
    body: geminiErrorBody,
    event: geminiErrorEvent,
    afterEvent: geminiBareError,
  },
  http: geminiHttp,
}

/** Clients put the name of a tool and two underscores in front of an id, and take off what looks so. */
function isLegalCallId(id: string): boolean {
  return id !== '' && !id.includes('__')
}
