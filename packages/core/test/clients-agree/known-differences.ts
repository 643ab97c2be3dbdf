import {
  type Answer,
  argumentsText,
  callsIn,
  type Client,
  hasBlocks,
  isNoCall,
  type Written,
} from './answer.ts'
import type { SeenCall, View } from './view.ts'

/** A difference between what two clients see that a dialect, or the way an answer is delivered, forces. */
export interface KnownDifference {
  readonly name: string
  readonly reason: string
  /** Whether this client, of this upstream, may see the answer otherwise than others do. `view` is what it sees. */
  applies(answer: Answer, upstream: Written, client: Client, view: View | null): boolean
  /** The view without what the difference is about. */
  forgive(view: View): View
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    name: 'no word for stop sequences and pauses',
    reason:
      'The chat dialect ends an answer with stop, length, tool_calls or content_filter, a response is completed or ' +
      'incomplete, and Gemini says STOP, MAX_TOKENS or SAFETY. A stop sequence that was met and a pause of a server ' +
      'tool are both an ordinary end there.',
    applies: ({ finish }, upstream, client) =>
      (client.dialect !== 'anthropic-messages' || upstream.dialect === 'openai-responses') &&
      (finish.says === 'stop-sequence' || finish.says === 'pause'),
    forgive: (view) =>
      view.finish === 'stop-sequence' || view.finish === 'pause' ? { ...view, finish: 'stop' } : view,
  },
  {
    name: 'no block of white space',
    reason:
      "Anthropic's dialect refuses a text block of white space alone when the conversation comes back, and clients of " +
      'responses show such an item as an empty message. White space between two calls, or alone in the answer, can be ' +
      'said only in a dialect in which text has no blocks.',
    applies: (answer, _upstream, client) => hasBlocks(client) && hasBlankRun(answer),
    forgive: withoutSpace,
  },
  {
    name: 'white space before a failure',
    reason:
      'White space waits for the text behind it before it becomes a part of a block. Where the answer fails in between, ' +
      'clients of dialects with blocks do not get it.',
    applies: (_answer, _upstream, client) => hasBlocks(client),
    forgive: (view) => (view.failure === null ? view : withoutSpace(view)),
  },
  {
    name: 'an answer of nothing',
    reason:
      'Clients of responses and of Gemini take an answer of nothing for the good end of a turn, so they are told a ' +
      'failure. Clients of the other dialects ask again, or show that nothing came.',
    applies: (_answer, _upstream, client) =>
      client.dialect === 'openai-responses' || client.dialect === 'gemini',
    forgive: (view) => (isNothing(view) ? emptyAnswer : view),
  },
  {
    name: 'calls in one piece',
    reason:
      "Gemini's dialect has no pieces of calls. A call that clients of others get as it comes is held for its clients, " +
      'and may be too large for that, with what waits behind it. Clients of others may have got all of the answer then.',
    applies: (answer, _upstream, client, view) =>
      client.dialect === 'gemini' &&
      view?.failure?.message.includes('bytes of tool calls had to wait') === true &&
      bytesThatWait(answer) > (answer.reading.toolCallBytes ?? Infinity),
    forgive: () => nothing,
  },
  {
    name: 'half a call',
    reason:
      'A call that was cut has begun in a stream and cannot be taken back, and a whole answer has no place for half a ' +
      'call. One without a single argument may be half a call as well: no dialect tells. No client runs either.',
    applies: () => true,
    forgive: (view) =>
      view.failure !== null || view.finish === 'length' ? { ...view, calls: withoutHalf(view.calls) } : view,
  },
  {
    name: 'a failure alone',
    reason:
      'Where the answer comes or goes in one piece, a failure is the whole response: it has a status of its own, and ' +
      'nothing can stand before it.',
    applies: (_answer, upstream, client) => upstream.delivered === 'whole' || client.wants === 'whole',
    forgive: onlyFailure,
  },
]

/** What differs between the clients of two bodies that say the same answer. */
export const knownBetweenBodies: readonly (Pick<KnownDifference, 'name' | 'reason' | 'forgive'> & {
  applies(answer: Answer): boolean
})[] = [
  {
    name: 'when a failure is known',
    reason:
      'A message stream says where a call ends, a chat stream only where the answer ends, a whole body at once: a call ' +
      'that is no call is known earlier or later, and less or more was sent before.',
    applies: () => true,
    forgive: onlyFailure,
  },
  {
    name: 'which of two failures comes first',
    reason:
      'Where an answer holds a call that is no call and the upstream fails or breaks off as well, the client is told ' +
      'whichever is known first.',
    applies: (answer) =>
      (answer.error !== null || answer.finish.says === 'nothing') && callsIn(answer).some(isNoCall),
    forgive: (view) =>
      view.failure === null ? view : { ...view, failure: { kind: 'upstream', message: 'one of the two' } },
  },
]

const nothing: View = { text: '', reasoning: '', calls: [], finish: 'stop', failure: null }

const emptyAnswer = {
  text: '',
  reasoning: '',
  calls: [],
  finish: null,
  failure: { kind: 'upstream', message: 'The upstream returned no content.' },
} as const satisfies View

/** Of the calls, and of what waits behind the first of them until it is whole. */
function bytesThatWait({ items }: Answer): number {
  const first = items.findIndex((item) => item.is === 'calls' || item.holds === 'a call')
  const texts = items
    .slice(first)
    .flatMap((item) => (item.is === 'calls' ? item.calls.map(argumentsText) : item.pieces))
  return first === -1 ? 0 : Buffer.byteLength(texts.join(''))
}

/** Whether an answer that ended as usual says nothing, or was taken for a failure because of that. */
function isNothing({ text, reasoning, calls, finish, failure }: View): boolean {
  if (calls.length > 0 || `${text}${reasoning}`.trim() !== '') return false
  const { kind, message } = emptyAnswer.failure
  if (failure !== null) return failure.kind === kind && failure.message === message
  return finish !== 'length' && finish !== 'content-filter'
}

function withoutSpace(view: View): View {
  return {
    ...view,
    text: view.text.replaceAll(/\s+/g, ''),
    reasoning: view.reasoning.replaceAll(/\s+/g, ''),
  }
}

function onlyFailure(view: View): View {
  return view.failure === null ? view : { ...view, text: '', reasoning: '', calls: [] }
}

/** Whether white space stands alone between two things that are no text, or between two that are no reasoning. */
function hasBlankRun({ items, habits }: Answer): boolean {
  const runs: { readonly is: string; text: string }[] = []
  for (const item of items) {
    const last = runs.at(-1)
    const is = item.is === 'calls' || item.holds === 'a call' ? 'a call' : item.is
    const text = item.is === 'calls' ? '' : item.pieces.join('')
    if (last?.is === is && habits.blocks === 'joined') last.text += text
    else runs.push({ is, text })
  }
  return runs.some(({ is, text }) => is !== 'a call' && text.trim() === '')
}

function withoutHalf(calls: readonly SeenCall[]): readonly SeenCall[] {
  const lastWhole = calls.findLastIndex(({ arguments: json }) => json !== null && json !== '{}')
  return calls.slice(0, lastWhole + 1)
}
