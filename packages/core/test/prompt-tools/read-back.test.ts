import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseToolCalls } from '../../src/parser.ts'
import { getPromptFormat, promptFormatIds } from '../../src/prompt-tools/prompt-formats.ts'

const tools = [
  {
    name: 'f',
    parameters: {
      type: 'object',
      properties: {
        s: { type: 'string' },
        n: { type: 'number' },
        o: { type: 'object' },
        a: { type: 'array' },
      },
    },
  },
]

// A tag around a text cannot hold itself: that much these formats lose, whoever writes them.
const text = fc
  .string({ unit: 'grapheme' })
  .filter((value) => !/<\/?(?:parameter|invoke|function|tool)/.test(value))
const parameters = fc.record(
  {
    s: text,
    n: fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    ),
    o: fc.dictionary(text, text, { maxKeys: 3 }),
    a: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: [] },
)

describe.each(promptFormatIds)('calls as they stand in a prompt, in the format %s', (format) => {
  it('are read back as what they were', () => {
    fc.assert(
      fc.property(fc.array(parameters, { minLength: 1, maxLength: 3 }), (given) => {
        const calls = given.map(
          (each) => ({ type: 'tool_call', id: '', name: 'f', parameters: each }) as const,
        )
        const read = parseToolCalls(getPromptFormat(format).calls(calls), { format, tools })
        expect(read.toolCalls.map(({ arguments: json }) => JSON.parse(json) as unknown)).toEqual(given)
        expect(read.content.trim()).toBe('')
      }),
    )
  })
})
