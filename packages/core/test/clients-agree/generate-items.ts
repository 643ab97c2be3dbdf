import * as fc from 'fast-check'
import { formats } from '../../src/formats/registry.ts'
import type { Call, CallArguments, Item } from './answer.ts'
import { cutText, fraction, rarely, toFirst } from './choices.ts'

/** One item, or two that belong together, as odd as can be. */
export function anyItems(): fc.Arbitrary<Item[]> {
  return fc.oneof(
    toFirst,
    { weight: 8, arbitrary: prose('text').map(alone) },
    { weight: 4, arbitrary: prose('reasoning').map(alone) },
    { weight: 6, arbitrary: calls(anyCall()).map(alone) },
    { weight: 4, arbitrary: writtenCall('any').map(alone) },
    { weight: 1, arbitrary: twins() },
  )
}

function alone(item: Item): Item[] {
  return [item]
}

/** A call in the text that the server structured as well. */
function twins(): fc.Arbitrary<Item[]> {
  const call: Call = {
    name: 'get_weather',
    arguments: { are: 'text', pieces: ['{"city": ', '"Paris"}'] },
    id: 'own',
    index: 'own',
    legacy: 'no',
  }
  const structured: Item = { is: 'calls', calls: [call], order: 'one by one' }
  return fc.tuple(fc.constantFrom(...samples), fc.boolean()).map(([sample, isFirst]) => {
    const written: Item = { is: 'text', pieces: [sample], holds: 'a call' }
    return isFirst ? [written, structured] : [structured, written]
  })
}

export function prose(is: 'text' | 'reasoning'): fc.Arbitrary<Item> {
  const piece = fc.constantFrom(
    'Hm.',
    ' so',
    '\n',
    '  ',
    ' \n\nLet me see. ',
    'a < b',
    '{"',
    '<',
    '😀',
    '`x`',
  )
  return fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => ({ is, pieces, holds: 'prose' }))
}

/** A call in the text, as a model of some format writes it: whole, or cut or broken. */
export function writtenCall(state: 'whole' | 'any'): fc.Arbitrary<Item> {
  const whole = fc
    .tuple(fc.constantFrom(...samples), fc.constantFrom('Paris', 'Rome'))
    .map(([sample, city]) => sample.replaceAll('Paris', city))
  const broken = fc.oneof(
    toFirst,
    fc.tuple(whole, fraction()).map(([text, part]) => text.slice(0, Math.ceil(part * text.length))),
    whole.map((text) => text.replace(/"Rome"|"Paris"/, '"Rome" oops')),
    whole.map((text) => text.replace('get_weather', 'functions.get_weather')),
    fc.tuple(whole, whole).map((two) => two.join('\n')),
  )
  const text =
    state === 'whole'
      ? whole
      : fc.oneof(toFirst, { weight: 3, arbitrary: whole }, { weight: 2, arbitrary: broken })
  const channel =
    state === 'whole'
      ? fc.constant('text' as const)
      : rarely('text' as const, fc.constant('reasoning' as const))
  return fc.tuple(channel, cutText(text)).map(([is, pieces]) => ({ is, pieces, holds: 'a call' }))
}

/** Formats that read nothing in-band have no sample. */
const samples = formats.map((format) => format.sample).filter((sample) => sample !== '')

export function calls(call: fc.Arbitrary<Call>): fc.Arbitrary<Item> {
  return fc.record<Extract<Item, { is: 'calls' }>>({
    is: fc.constant('calls'),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    order: rarely('one by one', fc.constant('woven')),
  })
}

function anyCall(): fc.Arbitrary<Call> {
  return fc.record({
    name: fc.oneof(
      toFirst,
      { weight: 8, arbitrary: fc.constantFrom('get_weather', 'read_file', 'list') },
      { weight: 1, arbitrary: fc.constantFrom('functions.get_weather', 'functions.read_file', 'unheard_of') },
      { weight: 1, arbitrary: fc.constantFrom(null, '') },
    ),
    arguments: callArguments(),
    id: fc.oneof(
      toFirst,
      { weight: 6, arbitrary: fc.constant('own') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(null, '', 'same', 'not legal!', 'functions.get_weather:0', 'x'.repeat(70)),
      },
    ),
    index: rarely('own', fc.constantFrom('none', 'zero')),
    legacy: rarely('no', fc.constantFrom('beside', 'instead')),
  })
}

/** A call without a fault, whatever the server does about its place. */
export function soundCall(): fc.Arbitrary<Call> {
  return fc.record<Call>({
    name: fc.constantFrom('get_weather', 'read_file', 'unheard_of'),
    arguments: cutText(fc.constantFrom(...goodArguments)).map((pieces) => ({ are: 'text', pieces })),
    id: fc.constant('own'),
    index: rarely('own', fc.constantFrom('none', 'zero')),
    legacy: rarely('no', fc.constantFrom('beside', 'instead')),
  })
}

function callArguments(): fc.Arbitrary<CallArguments> {
  const text = fc.oneof(
    toFirst,
    { weight: 6, arbitrary: fc.constantFrom(...goodArguments) },
    { weight: 1, arbitrary: fc.constantFrom('', '{}', ' ', ' {} ') },
    { weight: 2, arbitrary: fc.constantFrom(...mendedArguments) },
    { weight: 1, arbitrary: fc.constantFrom(...brokenArguments) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...goodArguments), fraction())
        .map(([json, part]) => json.slice(0, Math.floor(part * json.length))),
    },
  )
  return fc.oneof(
    toFirst,
    { weight: 8, arbitrary: cutText(text).map((pieces) => ({ are: 'text' as const, pieces })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...goodArguments, '{}').map((json) => ({ are: 'an object' as const, json })),
    },
    { weight: 1, arbitrary: fc.constant({ are: 'missing' as const }) },
  )
}

const goodArguments = [
  '{"city":"Paris"}',
  '{"city":"Rome"}',
  '{"path": "notes/\\u00e9\\n😀", "lines": [1, 2.5, null, true]}',
  '{"id":12345678901234567890,"size":1e2,"part":1.0}',
]

/** Each is put right by one of the listed repairs; the last was encoded twice. */
const mendedArguments = [
  '{"city":"Paris",}',
  "{'city': 'Paris', 'now': True, 'then': None}",
  '{"city":"Par\nis\t"}',
  '{"city":"Paris"',
  '{"city":"Paris"}}',
  '"{\\"city\\":\\"Paris\\"}"',
]

const brokenArguments = ['{"city":Paris}', '{"city" "Paris"}', 'Paris', '{"city":"Paris"} and more']
