import type { Dialect } from '../dialect.ts'
import { decodeGeminiAnswer, unwrapEnvelope } from './answer/decode.ts'
import { createGeminiStreamEncoder } from './answer/encode.ts'
import { patchGeminiAnswer } from './answer/patch.ts'
import { contentAsEvents, ContentCollector, contentOfText, restOfStream } from './answer/whole.ts'

/** What index.ts says of answers. */
export const geminiAnswers: Dialect['answer'] = {
  idPrefix: '',
  usageInStream: 'always',
  proofIsSignature: true,
  isLegalCallId,
  refuses: ['no content', 'arguments that are no object'],
  unwrap: unwrapEnvelope,
  decode: decodeGeminiAnswer,
  patch: patchGeminiAnswer,
  encode: (options) =>
    createGeminiStreamEncoder({ ...options, responseId: options.id, thoughts: 'shown' }),
  whole: {
    toEvents: contentAsEvents,
    collect: () => new ContentCollector(),
    ofText: contentOfText,
    rest: restOfStream,
  },
}

/** Clients put the name of a tool and two underscores in front of an id, and take off what looks so. */
function isLegalCallId(id: string): boolean {
  return id !== '' && !id.includes('__')
}
