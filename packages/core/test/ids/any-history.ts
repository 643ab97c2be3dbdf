import * as fc from 'fast-check'
import type { Content } from '../../src/conversation.ts'
import { nineAlphanumerics } from '../../src/ids/digest.ts'
import { call, response } from './history.ts'

// Few ids, so that they repeat; and among them the very ids that the strategies make from others.
const foreign = 'functions.get_weather:0'
const made = nineAlphanumerics(foreign)
const madeNext = nineAlphanumerics(`${made}/1`)
const knownIds = [
  foreign,
  made,
  madeNext,
  `call_${made}`,
  `call_${madeNext}`,
  `toolu_${made}`,
  'call_abc123',
  'hist_tool_abc123',
  'toolu_abc123',
  'abcdefghi',
  'toolu_',
  'hist_tool_',
  'hist_tool_é',
  '',
  ' ',
  '\u{d800}',
  '__proto__',
  'constructor',
  'x'.repeat(64),
  'x'.repeat(65),
  `hist_tool_${'x'.repeat(60)}`,
]

const anyId = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(foreign, made, `call_${made}`, 'hist_tool_abc123', 'call_abc123') },
  { weight: 4, arbitrary: fc.constantFrom(...knownIds) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
)
const anyName = fc.constantFrom('get_weather', 'read.file', 'a:1', '__proto__')
const anyBlock = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(anyId, anyName).map(([id, name]) => call(id, name)) },
  { weight: 3, arbitrary: fc.tuple(anyId, anyName).map(([id, name]) => response(id, name)) },
  { weight: 1, arbitrary: fc.constant({ type: 'text', text: 'so' } as const) },
)

/** Histories in which ids repeat, are foreign or illegal, responses are missing, late, doubled or without a call. */
export const anyHistory: fc.Arbitrary<Content[]> = fc.array(
  fc.record({
    speaker: fc.constantFrom('human', 'ai', 'tool'),
    blocks: fc.array(anyBlock, { maxLength: 5 }),
  }),
  { maxLength: 10 },
)
