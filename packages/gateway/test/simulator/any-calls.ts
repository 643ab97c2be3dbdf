import type { ToolDefinition } from '@dragoman/core'
import * as fc from 'fast-check'
import type { WrittenCall } from '../../src/simulator/writing.ts'

/** Text that breaks careless writers and readers. It holds no markers: those a tagged format cannot quote. */
const hardText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        "'",
        '\\',
        '\n',
        '\r\n',
        '\t',
        '{',
        '}',
        '[',
        ']',
        '<',
        '>',
        '&',
        '&quot;',
        '`',
        '```',
      ),
      fc.constantFrom(
        'null',
        'true',
        '42',
        '{"a": 1}',
        '</b>',
        '<div class="x">',
        ' ',
        '  ',
        '\u2028',
        '🌧️',
        '東京',
        'é',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))

const wholeNumbers = fc.integer()
const numbers = fc
  .oneof(wholeNumbers, fc.double({ noNaN: true, noDefaultInfinity: true }))
  .map((n) => (n === 0 ? 0 : n))

/** One parameter for each type; the schema is what a tagged format is read by. */
const parameters = {
  text: { type: 'string', values: hardText },
  note: { type: 'string', values: hardText },
  count: { type: 'integer', values: wholeNumbers },
  ratio: { type: 'number', values: numbers },
  flag: { type: 'boolean', values: fc.boolean() },
  options: { type: 'object', values: fc.dictionary(fc.constantFrom('a', 'b c', 'd"e'), hardText) },
  list: { type: 'array', values: fc.array(fc.oneof(hardText, numbers, fc.constant(null)), { maxLength: 4 }) },
} as const

const names = ['get_weather', 'Read', 'mcp__files__list-all', 'fs.read_file']

export const anyTools: readonly ToolDefinition[] = names.map((name) => ({
  type: 'function',
  function: {
    name,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(parameters).map(([key, { type }]) => [key, { type }])),
    },
  },
}))

const anyArguments = fc.record(
  Object.fromEntries(
    Object.entries(parameters).map(([key, { values }]) => [key, values as fc.Arbitrary<unknown>]),
  ),
  { requiredKeys: [], noNullPrototype: true },
)

export const anyCalls: fc.Arbitrary<WrittenCall[]> = fc.array(
  fc.record({ name: fc.constantFrom(...names), arguments: anyArguments }, { noNullPrototype: true }),
  { minLength: 1, maxLength: 3 },
)
