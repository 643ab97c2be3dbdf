import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseToolCalls } from '../../src/index.ts'

const tools = [
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
]
const call =
  '<function_calls><invoke name="get_weather"><parameter name="city">Paris</parameter></invoke></function_calls>'

/** Pieces of text whose signs matter in a line: long ones, so that more comes than is kept unread. */
const text = fc
  .array(
    fc.constantFrom('`', '``', '>', '|', '\n', '\n> ', '\n| a |', 'a', 'word ', 'many words in a row '),
    {
      maxLength: 120,
    },
  )
  .map((pieces) => pieces.join(''))
  // Three of them are a fence, which is another matter.
  .filter((made) => !made.includes('```'))

/** Whether what stands behind the text is only shown, as Markdown has it. */
function isShown(before: string): boolean {
  const line = before.trimStart().split('\n').at(-1) ?? ''
  let open = 0
  for (const [run] of line.matchAll(/`+/g)) open = open === 0 ? run.length : open === run.length ? 0 : open
  return open > 0 || /^[>|]/.test(line)
}

describe('a call in tags behind text', () => {
  it('is a call unless code is open in its line, or its line is quoted or the row of a table', () => {
    fc.assert(
      fc.property(text, (before) => {
        const { toolCalls } = parseToolCalls(before + call, { format: 'xml', tools })
        expect(toolCalls).toHaveLength(isShown(before) ? 0 : 1)
      }),
      { numRuns: 1000 },
    )
  })

  it('is judged alike in pieces of every size', () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 9 }),
        (before, long, short) => {
          const written = before + call
          const expected = parseToolCalls(written, { format: 'xml', tools })
          for (const sizes of [[long], [short], [short, long]]) {
            expect(parseToolCalls(inPieces(written, sizes), { format: 'xml', tools })).toEqual(expected)
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

/** Cut into pieces of these sizes in turn. */
function inPieces(whole: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < whole.length; at += pieces.at(-1)?.length ?? 1) {
    pieces.push(whole.slice(at, at + (sizes[pieces.length % sizes.length] ?? 1)))
  }
  return pieces
}
