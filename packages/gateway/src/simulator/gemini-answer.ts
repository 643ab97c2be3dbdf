import { encodeSse } from '@dragoman/core'
import { cutText } from './cut-text.ts'
import { isJsonObject } from './json.ts'
import type { LaidOut, Part } from './lay-out.ts'
import { seededRandom } from './random.ts'
import type { ScriptedAnswer } from './script.ts'
import type { Envelope, StreamedAnswer } from './streamed-answer.ts'

/** The answer of a server that speaks Gemini's dialect, in one piece. */
export function contentBody(answer: ScriptedAnswer, laidOut: LaidOut, envelope: Envelope): unknown {
  const parts = partsOf(answer, laidOut, (text) => [text])
  const isSilent = answer.settings.faults.includes('no-finish')
  return chunkOf({ answer, laidOut, envelope }, parts, isSilent ? {} : endOf(laidOut))
}

/** The same answer as the events of a stream. */
export function contentEvents(answer: ScriptedAnswer, laidOut: LaidOut, envelope: Envelope): StreamedAnswer {
  const { settings } = answer
  const random = seededRandom(settings.seed)
  const said = { answer, laidOut, envelope }
  const parts = partsOf(answer, laidOut, (text) => cutText(text, settings.chunk, random))
  return {
    opening: [],
    deltas: parts.map((part) => eventOf(chunkOf(said, [part], {}))),
    finish: [eventOf(chunkOf(said, [{ text: '' }], endOf(laidOut)))],
    usage: [],
    done: [],
  }
}

interface Said {
  readonly answer: ScriptedAnswer
  readonly laidOut: LaidOut
  readonly envelope: Envelope
}

type ContentPart =
  | { readonly text: string; readonly thought?: true }
  | {
      readonly functionCall: { readonly id: string; readonly name: string; readonly args: object }
      readonly thoughtSignature?: string
    }

function partsOf(
  { thought }: ScriptedAnswer,
  { parts }: LaidOut,
  cut: (text: string) => string[],
): ContentPart[] {
  return parts.flatMap((part): ContentPart[] => {
    if (part.type === 'call') return callParts(part, thought)
    const isThought = part.field !== 'content'
    return cut(part.text).map((text) => (isThought ? { text, thought: true } : { text }))
  })
}

/** A call comes whole or not at all. Of several calls the first is signed, where the model has thought before it. */
function callParts(
  { id, name, json, index }: Extract<Part, { type: 'call' }>,
  thought: string,
): ContentPart[] {
  const args = parsed(json)
  if (args === undefined) return []
  const isSigned = index === 0 && thought !== ''
  return [{ functionCall: { id, name, args }, ...(isSigned && { thoughtSignature: signatureOf(thought) }) }]
}

function parsed(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function endOf({ finishReason }: LaidOut): object {
  return { finishReason: finishReason === 'length' ? 'MAX_TOKENS' : 'STOP' }
}

function eventOf(chunk: object): string {
  return encodeSse({ data: JSON.stringify(chunk) })
}

function chunkOf({ answer, laidOut, envelope }: Said, parts: readonly ContentPart[], end: object): object {
  const { request } = answer
  return {
    candidates: [{ content: { parts, role: 'model' }, ...end, index: 0 }],
    ...(request.wantsUsage && { usageMetadata: usageOf(request.promptLength, laidOut) }),
    modelVersion: request.model,
    responseId: envelope.id,
  }
}

function usageOf(promptLength: number, { completionTokens, reasoningTokens }: LaidOut): object {
  const promptTokenCount = Math.ceil(promptLength / 4)
  return {
    promptTokenCount,
    candidatesTokenCount: completionTokens - reasoningTokens,
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: promptTokenCount + completionTokens,
  }
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
