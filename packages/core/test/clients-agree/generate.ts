import * as fc from 'fast-check'
import { formats } from '../../src/formats/registry.ts'
import type { Answer, Call, Finish, Habits, Item, Reading, UpstreamError } from './answer.ts'
import { rarely, toFirst } from './choices.ts'
import { anyItems, calls, prose, soundCall, writtenCall } from './generate-items.ts'

/** Answers as odd as servers and models make them. */
export function anyAnswer(): fc.Arbitrary<Answer> {
  const items = fc.oneof(
    toFirst,
    { weight: 1, arbitrary: fc.constant<Item[]>([]) },
    {
      weight: 30,
      arbitrary: fc
        .array(anyItems(), { minLength: 1, maxLength: 4, size: 'max' })
        .map((lists) => lists.flat()),
    },
  )
  return fc
    .record({
      items: anyOrder(items),
      finish: finish(),
      error: rarely(null, error()),
      habits: habits(),
      reading: reading(),
    })
    .map(settled)
}

/** Answers of a model that writes no calls into its text and makes no mistakes; its server has habits all the same. */
export function plainAnswer(): fc.Arbitrary<Answer> {
  const item = fc.oneof(
    toFirst,
    { weight: 2, arbitrary: prose('text') },
    { weight: 1, arbitrary: prose('reasoning') },
    { weight: 1, arbitrary: calls(soundCall()) },
  )
  return fc
    .record({
      items: anyOrder(fc.array(item, { minLength: 1, maxLength: 4 })),
      finish: finish().filter(({ says, end }) => says !== 'nothing' || end === 'marked'),
      error: fc.constant(null),
      habits: habits().filter(({ usage }) => usage !== 'zero'),
      reading: reading().filter(({ tools, toolCallBytes }) => tools === 'declared' && toolCallBytes === null),
    })
    .map(settled)
}

/** Answers of a server and a model that do everything right: reasoning, text, and calls of one kind. */
export function flawlessAnswer(): fc.Arbitrary<Answer> {
  const pieces = fc.array(fc.constantFrom('Hello.', ' Let me see: ', 'a < b\n\nand so on'), { maxLength: 3 })
  return fc
    .record({
      reasoning: pieces,
      text: pieces,
      calls: fc.option(fc.oneof(calls(soundCall()), writtenCall('whole'))),
      delivery: fc.constantFrom<Reading['delivery']>('incremental', 'complete'),
    })
    .map((chosen) => {
      const items: Item[] = [
        { is: 'reasoning', pieces: ['So. ', ...chosen.reasoning], holds: 'prose' },
        { is: 'text', pieces: ['Well, ', ...chosen.text], holds: 'prose' },
        ...(chosen.calls === null ? [] : [plainly(chosen.calls)]),
      ]
      return settled({
        items,
        // A server that leaves calls in the text knows of none.
        finish: { says: chosen.calls?.is === 'calls' ? 'tool-calls' : 'stop', end: 'marked' },
        error: null,
        habits: plainHabits,
        reading: { ...plainReading, delivery: chosen.delivery },
      })
    })
}

/** The calls one after the other, each where it belongs, and with numbers that every program can read. */
function plainly(item: Item): Item {
  if (item.is !== 'calls') return item
  const plain = item.calls.map((call): Call => ({
    name: call.name,
    arguments: { are: 'text', pieces: ['{"city": ', '"Paris", "days": 3}'] },
    id: 'own',
    index: 'own',
    legacy: 'no',
  }))
  return { is: 'calls', calls: plain, order: 'one by one' }
}

export const plainHabits: Habits = {
  reasoningIn: 'reasoning_content',
  contentIn: 'text',
  emptyData: false,
  usage: 'counted',
  finish: 'apart',
  blocks: 'joined',
  arrives: 'event by event',
}

export const plainReading: Reading = {
  format: 'auto',
  tools: 'declared',
  delivery: 'incremental',
  toolCallBytes: null,
}

/** Half of the answers in the order in which a whole completion can say them too. */
function anyOrder(items: fc.Arbitrary<Item[]>): fc.Arbitrary<Item[]> {
  return fc
    .tuple(items, fc.boolean())
    .map(([list, isFree]) => (isFree ? list : kinds.flatMap((kind) => list.filter(({ is }) => is === kind))))
}

const kinds = ['reasoning', 'text', 'calls'] as const

function finish(): fc.Arbitrary<Finish> {
  return fc.record({
    says: fc.oneof(
      toFirst,
      { weight: 6, arbitrary: fc.constantFrom('stop', 'tool-calls') },
      { weight: 2, arbitrary: fc.constant('length') },
      { weight: 1, arbitrary: fc.constantFrom('content-filter', 'stop-sequence', 'pause') },
      { weight: 1, arbitrary: fc.constant('nothing') },
    ),
    end: rarely('marked', fc.constant('eof')),
  })
}

function error(): fc.Arbitrary<UpstreamError> {
  return fc.record({
    shape: fc.constantFrom('object', 'string', 'array', 'beside no choices'),
    message: fc.constant('The model is busy.'),
    type: fc.constantFrom(
      null,
      'rate_limit_error',
      'overloaded_error',
      'authentication_error',
      'server_error',
    ),
    code: fc.constantFrom(null, 'busy', 500),
    isFollowedByDone: fc.boolean(),
  })
}

function habits(): fc.Arbitrary<Habits> {
  return fc.record({
    reasoningIn: fc.oneof(
      toFirst,
      { weight: 3, arbitrary: fc.constant('reasoning_content') },
      {
        weight: 3,
        arbitrary: fc.constantFrom('reasoning', 'reasoning_text', 'reasoning_details', 'two fields'),
      },
    ),
    contentIn: rarely('text', fc.constant('parts')),
    emptyData: rarely(false, fc.constant(true)),
    usage: fc.oneof(
      toFirst,
      { weight: 6, arbitrary: fc.constantFrom('counted', 'none') },
      { weight: 1, arbitrary: fc.constant('zero') },
    ),
    finish: rarely('apart', fc.constant('beside the last delta')),
    blocks: rarely('joined', fc.constant('apart')),
    arrives: fc.constantFrom('event by event', 'at once'),
  })
}

function reading(): fc.Arbitrary<Reading> {
  return fc.record({
    format: fc.oneof(
      toFirst,
      { weight: 3, arbitrary: fc.constant('auto') },
      { weight: 1, arbitrary: fc.constantFrom(...formats.map((format) => format.id)) },
    ),
    tools: fc.oneof(
      toFirst,
      { weight: 8, arbitrary: fc.constant('declared') },
      { weight: 2, arbitrary: fc.constant('unknown') },
      { weight: 1, arbitrary: fc.constant('none') },
    ),
    delivery: fc.oneof(
      toFirst,
      { weight: 3, arbitrary: fc.constant('incremental') },
      { weight: 1, arbitrary: fc.constant('complete') },
    ),
    toolCallBytes: rarely(null, fc.integer({ min: 16, max: 64 })),
  })
}

/** The answer with what would mean two things put right, so that all servers can mean the same by it. */
function settled(answer: Answer): Answer {
  const callCount = answer.items.reduce((sum, item) => sum + (item.is === 'calls' ? item.calls.length : 0), 0)
  let place = 0
  const items = answer.items.map((item): Item => {
    if (item.is !== 'calls') return item
    const isWoven = item.order === 'woven' && item.calls.length > 1
    return {
      ...item,
      order: isWoven ? 'woven' : 'one by one',
      calls: item.calls.map((call) => settledCall(call, place++, isWoven, callCount)),
    }
  })
  // A server pauses for tools of its own: no call of the client's is open then.
  const isPaused =
    answer.finish.says === 'pause' && items.every((item) => item.is !== 'calls' && item.holds === 'prose')
  const says = isPaused || answer.finish.says !== 'pause' ? answer.finish.says : 'stop'
  return { ...answer, items, finish: { ...answer.finish, says } }
}

/**
 * Deltas without an index are told apart by the id, or by the name that begins a call; those with the same index by
 * the id alone. `function_call` is one call, whatever stands beside it.
 */
function settledCall(call: Call, place: number, isWoven: boolean, callCount: number): Call {
  const id = call.id === 'own' ? `call_${place}` : call.id
  const isNamed = call.name !== null && call.name !== ''
  const isAlone = call.id === 'own' && isNamed && !isWoven
  return {
    ...call,
    id,
    index: isAlone ? call.index : 'own',
    legacy: callCount === 1 ? call.legacy : 'no',
  }
}
