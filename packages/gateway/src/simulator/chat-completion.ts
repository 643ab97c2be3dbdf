import { encodeSse } from '@dragoman/core'
import { cutText } from './cut-text.ts'
import type { LaidOut, Part } from './lay-out.ts'
import { seededRandom } from './random.ts'
import type { ScriptedAnswer } from './script.ts'
import type { Field } from './settings.ts'
import type { Envelope, StreamedAnswer } from './streamed-answer.ts'

/** The answer as the chunks of a stream. */
export function completionChunks(
  answer: ScriptedAnswer,
  laidOut: LaidOut,
  envelope: Envelope,
): StreamedAnswer {
  const { request, settings } = answer
  const random = seededRandom(settings.seed)
  const head = headOf('chat.completion.chunk', request.model, envelope)
  const chunkWith = (delta: object, finishReason: string | null = null): string =>
    eventOf({ ...head, choices: [{ index: 0, delta, finish_reason: finishReason }] })
  return {
    opening: [chunkWith({ role: 'assistant', content: '' })],
    deltas: laidOut.parts
      .flatMap((part) => deltasOf(part, (text) => cutText(text, settings.chunk, random)))
      .map((delta) => chunkWith(delta)),
    finish: [chunkWith({}, laidOut.finishReason)],
    usage: request.wantsUsage ? [eventOf({ ...head, choices: [], usage: usageOf(answer, laidOut) })] : [],
    done: [encodeSse({ data: '[DONE]' })],
  }
}

/** The answer in one piece. */
export function completionBody(answer: ScriptedAnswer, laidOut: LaidOut, envelope: Envelope): unknown {
  const { request, settings } = answer
  const { parts, finishReason } = laidOut
  const textIn = (field: Field): string =>
    parts
      .map((part) => (part.type === 'text' && [part.field, part.alsoIn].includes(field) ? part.text : ''))
      .join('')
  const reasoning = (['reasoning', 'reasoning_content'] as const)
    .map((field) => [field, textIn(field)] as const)
    .filter(([, text]) => text !== '')
  const calls = parts.filter((part) => part.type === 'call')
  const content = textIn('content')
  const message = {
    role: 'assistant',
    content: content === '' ? null : content,
    ...Object.fromEntries(reasoning),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, json }) => ({
        id,
        type: 'function',
        function: { name, arguments: json },
      })),
    }),
  }
  return {
    ...headOf('chat.completion', request.model, envelope),
    choices: [
      { index: 0, message, finish_reason: settings.faults.includes('no-finish') ? null : finishReason },
    ],
    usage: usageOf(answer, laidOut),
  }
}

function eventOf(value: object): string {
  return encodeSse({ data: JSON.stringify(value) })
}

function headOf(object: string, model: string, { id, created }: Envelope): object {
  return { id, object, created, model, system_fingerprint: 'dragoman-simulator' }
}

function deltasOf(part: Part, cut: (text: string) => string[]): object[] {
  if (part.type === 'text') {
    const { field, alsoIn } = part
    return cut(part.text).map((text) =>
      alsoIn === undefined ? { [field]: text } : { [field]: text, [alsoIn]: text },
    )
  }
  const { index, id, name } = part
  return [
    { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
    ...cut(part.json).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

function usageOf({ request }: ScriptedAnswer, { completionTokens, reasoningTokens }: LaidOut): object {
  const promptTokens = Math.ceil(request.promptLength / 4)
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}
