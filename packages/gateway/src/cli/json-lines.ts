import { CliError } from '../terminal/cli-error.ts'
import { openInput } from './input.ts'
import type { Io } from '../terminal/io.ts'
import { type Line, longestLineBytes, readLines } from '../terminal/lines.ts'
import { parseRequestLine, readParseRequest } from './parse-request.ts'
import { parsePieces, type ParseSettings } from './parse-settings.ts'

/** Answers each line of the input with a line, in order. The answer to a line that cannot be parsed is its error. */
export async function parseJsonLines(
  file: string | undefined,
  defaults: ParseSettings,
  io: Io,
): Promise<0 | 1> {
  const input = await openInput(file, io)
  const progress = new Progress(io)
  let answered = 0
  let failed = 0
  for await (const line of readLines(input.chunks)) {
    if (line.text !== null && line.text.trim() === '') continue
    const answer = answerLine(line, defaults)
    answered++
    if ('error' in answer) failed++
    if (io.stdout.isTerminal) await progress.clear()
    await io.stdout.line(JSON.stringify(answer))
    await progress.show(() => `${answered} lines, ${failed} failed`)
  }
  await progress.clear()
  return failed === 0 ? 0 : 1
}

function answerLine({ number, text }: Line, defaults: ParseSettings): object {
  if (text === null) {
    return { id: null, line: number, error: `the line is longer than ${longestLineBytes} bytes` }
  }
  // The id is kept as soon as it is known, so that a line that fails later can still be identified.
  let id: unknown = null
  try {
    const fields = parseRequestLine(text)
    id = fields['id'] ?? null
    const request = readParseRequest(fields, defaults)
    return { id, ...parsePieces(request.pieces, request) }
  } catch (error) {
    return { id, line: number, error: describe(error) }
  }
}

/** The message of an error, with a hint at what would be right. */
function describe(error: unknown): string {
  if (error instanceof CliError && error.hint !== undefined) return `${error.message} ${error.hint}`
  return error instanceof Error ? error.message : String(error)
}

const millisecondsBetween = 250

/** Shows on a terminal how far the work is. Where standard error is no terminal it shows nothing. */
class Progress {
  private readonly io: Io
  private nextAt: number
  private isShown = false

  constructor(io: Io) {
    this.io = io
    this.nextAt = io.now() + millisecondsBetween
  }

  async show(text: () => string): Promise<void> {
    if (!this.io.stderr.isTerminal || this.io.now() < this.nextAt) return
    this.nextAt = this.io.now() + millisecondsBetween
    this.isShown = true
    await this.io.stderr.write(`\r\u001B[K${text()}`)
  }

  /**
   * Has to be called before a line is written where both streams are one terminal, as the line would be appended to
   * this one.
   */
  async clear(): Promise<void> {
    if (!this.isShown) return
    this.isShown = false
    await this.io.stderr.write('\r\u001B[K')
  }
}
