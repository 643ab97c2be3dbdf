import { encodeSse } from '@dragoman/core'
import type { Envelope } from './chat-completion.ts'
import { cutText, tokensOf } from './cut-text.ts'
import { seededRandom } from './random.ts'
import type { ScriptedAnswer } from './script.ts'

/** The answer of a server that speaks Gemini's dialect, in one piece. */
export function contentBody(answer: ScriptedAnswer, envelope: Envelope): unknown {
  const parts = [...thoughtParts([answer.thought]), ...textParts([answer.text]), ...callParts(answer)]
  return chunkOf(answer, envelope, parts, { finishReason: 'STOP' })
}

/** The same answer as the events of a stream. */
export function contentEvents(answer: ScriptedAnswer, envelope: Envelope): string[] {
  const { settings, thought, text } = answer
  const pieces = (whole: string): string[] => cutText(whole, settings.chunk, seededRandom(settings.seed))
  const parts = [...thoughtParts(pieces(thought)), ...textParts(pieces(text)), ...callParts(answer)]
  return [
    ...parts.map((part) => chunkOf(answer, envelope, [part], {})),
    chunkOf(answer, envelope, [{ text: '' }], { finishReason: 'STOP' }),
  ].map((chunk) => encodeSse({ data: JSON.stringify(chunk) }))
}

type Part =
  | { readonly text: string; readonly thought?: true }
  | {
      readonly functionCall: { readonly id: string; readonly name: string; readonly args: object }
      readonly thoughtSignature?: string
    }

function thoughtParts(texts: readonly string[]): Part[] {
  return texts.filter((text) => text !== '').map((text) => ({ text, thought: true }))
}

function textParts(texts: readonly string[]): Part[] {
  return texts.filter((text) => text !== '').map((text) => ({ text }))
}

/** Of several calls the first is signed, where the model has thought before it. */
function callParts({ calls, thought }: ScriptedAnswer): Part[] {
  return calls.map(({ id, name, arguments: args }, at) => ({
    functionCall: { id, name, args },
    ...(at === 0 && thought !== '' && { thoughtSignature: signatureOf(thought) }),
  }))
}

function chunkOf(answer: ScriptedAnswer, { id }: Envelope, parts: readonly Part[], end: object): object {
  return {
    candidates: [{ content: { parts, role: 'model' }, ...end, index: 0 }],
    usageMetadata: usageOf(answer),
    modelVersion: answer.request.model,
    responseId: id,
  }
}

function usageOf({ request, thought, text, calls }: ScriptedAnswer): object {
  const promptTokenCount = Math.ceil(request.promptLength / 4)
  const candidatesTokenCount = tokensOf(text + JSON.stringify(calls)).length
  const thoughtsTokenCount = tokensOf(thought).length
  const totalTokenCount = promptTokenCount + candidatesTokenCount + thoughtsTokenCount
  return { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, totalTokenCount }
}

const signed = 'simulated thought: '

/** Makes the signature by which this server knows its own thoughts again. */
function signatureOf(thought: string): string {
  return Buffer.from(signed + thought).toString('base64')
}

/** Whether this server made the signature, or a client says that there is none, as it may for another model's calls. */
export function isSimulatedSignature(signature: unknown): boolean {
  if (typeof signature !== 'string') return false
  const isOwn = Buffer.from(signature, 'base64').toString('utf8').startsWith(signed)
  return isOwn || signature === 'skip_thought_signature_validator'
}
