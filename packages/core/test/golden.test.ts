import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cutAt, lengthOf, unitByUnit, whole, type Piece } from './support/chunkings.ts'
import { eventLog } from './support/event-log.ts'
import { readGoldens, withLogs, type Golden } from './support/golden-file.ts'
import { eventsOf } from './support/run-parser.ts'

const folder = new URL('golden/', import.meta.url)

for (const name of readdirSync(folder).filter((file) => file.endsWith('.md'))) {
  const file = new URL(name, folder)
  // Writes what the parser does now into the files: to be read in the diff, never to be trusted.
  if (process.env['UPDATE_GOLDENS'] === '1') rewriteLogs(file)

  describe(`golden/${name}`, () => {
    for (const golden of readGoldens(readFileSync(file, 'utf8'))) {
      it(golden.title, () => {
        expectLog(golden, golden.pieces, () => 'in the chunks as written')
        const input = whole(golden.pieces)
        for (let offset = 0; offset <= lengthOf(input); offset += 1) {
          const how = (): string => `cut in two at ${offset}: ${aroundCut(input, offset)}`
          expectLog(golden, cutAt(input, [offset]), how)
        }
        expectLog(golden, unitByUnit(input), () => 'one character at a time')
      })
    }
  })
}

/** There are a hundred thousand of these, and an `expect` takes as long as the reading: it is asked to tell what is wrong. */
function expectLog(golden: Golden, pieces: readonly Piece[], how: () => string): void {
  const log = eventLog(eventsOf(golden.options, pieces, golden.reason))
  if (log !== golden.log) expect(log, how()).toBe(golden.log)
}

function aroundCut(pieces: readonly Piece[], offset: number): string {
  const text = pieces.map((piece) => piece.text).join('')
  const before = text.slice(Math.max(0, offset - 16), offset)
  return `…${JSON.stringify(before)} | ${JSON.stringify(text.slice(offset, offset + 16))}…`
}

function rewriteLogs(file: URL): void {
  const markdown = readFileSync(file, 'utf8')
  const logs = readGoldens(markdown).map(({ options, pieces, reason }) =>
    eventLog(eventsOf(options, pieces, reason)),
  )
  writeFileSync(file, withLogs(markdown, logs))
}
