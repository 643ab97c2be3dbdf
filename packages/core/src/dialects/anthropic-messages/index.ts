import { anthropicRequests } from './request/index.ts'
import { isLegalId } from '../../ids/legal-id.ts'
import { encodeSse } from '../../sse/encoder.ts'
import type { Dialect } from '../dialect.ts'
import { decodeAnthropicAnswer } from './answer/decode.ts'
import { createAnthropicStreamEncoder } from './answer/encode.ts'
import { patchAnthropicAnswer } from './answer/patch.ts'
import { refuseServerTools } from './answer/refuse-server-tools.ts'
import { messageAsEvents, MessageCollector, messageOfText } from './answer/whole.ts'
import { anthropicErrorBody, anthropicErrorStatus } from './errors.ts'
import { anthropicHttp } from './http.ts'

/** Anthropic's messages. */
export const anthropicMessages: Dialect = {
  request: anthropicRequests,
  answer: {
    idPrefix: 'msg_',
    usageInStream: 'always',
    proofIsSignature: true,
    isLegalCallId: isLegalId,
    unwrap: (data) => data,
    modelPath: ['message', 'model'],
    decode: decodeAnthropicAnswer,
    patch: patchAnthropicAnswer,
    encode: ({ id: messageId, model, inputTokens, signature, write }) =>
      createAnthropicStreamEncoder({ messageId, model, inputTokens: inputTokens(), signature, write }),
    whole: {
      toEvents: messageAsEvents,
      collect: () => new MessageCollector(),
      ofText: messageOfText,
      // Blocks are numbered, and the numbers of those that came are not known here.
      rest: () => null,
    },
  },
  errors: {
    status: anthropicErrorStatus,
    body: anthropicErrorBody,
    event: (failure) => encodeSse({ event: 'error', data: JSON.stringify(anthropicErrorBody(failure)) }),
  },
  http: anthropicHttp,
  serverTools: { runBy: 'vendor', refuse: refuseServerTools },
}
