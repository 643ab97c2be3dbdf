import { chatRequests } from './request/index.ts'
import { refuseServerTools } from './request/server-tools.ts'
import { encodeSse } from '../../sse/encoder.ts'
import type { Dialect } from '../dialect.ts'
import { decodeChatAnswer, unwrapEnvelope } from './answer/decode.ts'
import { createChatStreamEncoder } from './answer/encode.ts'
import { patchChatAnswer } from './answer/patch.ts'
import { completionAsEvents, CompletionCollector, completionOfText, restOfStream } from './answer/whole.ts'
import { chatErrorBody, chatErrorResponse } from './errors.ts'
import { chatHttp } from './http.ts'

/** OpenAI's chat completions, as OpenAI and everyone else serves them. */
export const openaiChat: Dialect = {
  request: chatRequests,
  answer: {
    idPrefix: 'chatcmpl-',
    usageInStream: 'on-demand',
    proofIsSignature: false,
    isLegalCallId: () => true,
    unwrap: unwrapEnvelope,
    modelPath: ['model'],
    decode: decodeChatAnswer,
    patch: patchChatAnswer,
    encode: createChatStreamEncoder,
    whole: {
      toEvents: completionAsEvents,
      collect: () => new CompletionCollector(),
      ofText: completionOfText,
      rest: restOfStream,
    },
  },
  errors: {
    status: (failure) => chatErrorResponse(failure).status,
    body: chatErrorBody,
    event: (failure) => encodeSse({ data: JSON.stringify(chatErrorBody(failure)) }),
  },
  http: chatHttp,
  // Routers and vendors have searches of their own behind these fields. A server without one refuses them itself.
  serverTools: { runBy: 'anyone', refuse: refuseServerTools },
}
