import { responsesRequests } from './request/index.ts'
import { refuseServerTools } from './request/server-tools.ts'
import type { Dialect } from '../dialect.ts'
import { createCompactionEncoder } from './answer/compaction.ts'
import { decodeResponsesAnswer, failureAsError } from './answer/decode.ts'
import { createResponsesStreamEncoder } from './answer/encode.ts'
import { patchResponsesAnswer } from './answer/patch.ts'
import { responseAsEvents, ResponseCollector, responseOfText, restOfResponse } from './answer/whole.ts'
import {
  responsesErrorBody,
  responsesErrorEvents,
  responsesErrorInStream,
  responsesErrorStatus,
} from './errors.ts'
import { responsesHttp } from './http.ts'

/** OpenAI's responses, as OpenAI and the servers of open models serve them. */
export const openaiResponses: Dialect = {
  request: responsesRequests,
  answer: {
    idPrefix: 'resp_',
    usageInStream: 'always',
    proofIsSignature: false,
    // Clients take any characters, but not more of them.
    isLegalCallId: (id) => id.length <= 64,
    unwrap: failureAsError,
    modelPath: ['response', 'model'],
    decode: decodeResponsesAnswer,
    patch: patchResponsesAnswer,
    encode: (options) => {
      const wish = options.request?.compacts
      return wish === undefined
        ? createResponsesStreamEncoder(options)
        : createCompactionEncoder(options, wish)
    },
    whole: {
      toEvents: responseAsEvents,
      collect: () => new ResponseCollector(),
      ofText: responseOfText,
      rest: restOfResponse,
    },
  },
  errors: {
    status: responsesErrorStatus,
    body: responsesErrorBody,
    event: responsesErrorEvents,
    inStream: responsesErrorInStream,
  },
  http: responsesHttp,
  serverTools: { runBy: 'vendor', refuse: refuseServerTools },
}
