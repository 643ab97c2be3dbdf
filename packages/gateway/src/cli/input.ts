import { once } from 'node:events'
import { createReadStream, fstatSync } from 'node:fs'
import { failure } from '../terminal/cli-error.ts'
import type { Io } from '../terminal/io.ts'

export interface InputSource {
  /** The name for messages. */
  readonly name: string
  readonly chunks: AsyncIterable<Buffer>
}

/** Opens the file, or standard input for `-` and for no operand. */
export async function openInput(operand: string | undefined, io: Io): Promise<InputSource> {
  if (operand !== undefined && operand !== '-') {
    return { name: operand, chunks: readChunks(operand, () => createReadStream(operand)) }
  }
  if (operand === undefined && io.stdin.isTTY) {
    await io.stderr.line('Reading from the terminal: type or paste the text, then end it with Ctrl-D.')
  }
  return { name: 'standard input', chunks: readChunks('standard input', () => io.stdin) }
}

/** Reads the whole input as text, without the byte order mark that some editors write. */
export async function readText(input: InputSource): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input.chunks) chunks.push(chunk)
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** How long a pipe may take to begin: whoever starts a command may leave one open and write nothing. */
const PATIENCE_MS = 3000

/** The text that is piped into a command which can do without one. It is empty where nothing is. */
export async function readPiped(io: Io): Promise<string> {
  const { stdin, stderr } = io
  if (stdin.isTTY || !isPipe(stdin.fd)) return ''
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(), PATIENCE_MS)
  try {
    await once(stdin, 'readable', { signal: waiting.signal })
  } catch (error) {
    if (!waiting.signal.aborted) throw failure(`cannot read standard input: ${reasonOf(error)}`, error)
    await stderr.line(`Nothing was piped in within ${PATIENCE_MS / 1000} s: going on without it.`)
    // A pipe that stays open would keep the process alive.
    stdin.pause().unref()
    return ''
  } finally {
    clearTimeout(timer)
  }
  return readText(await openInput('-', io))
}

/** A terminal and `/dev/null` are neither a pipe nor a file. */
function isPipe(fd: number): boolean {
  try {
    const found = fstatSync(fd)
    return found.isFIFO() || found.isFile() || found.isSocket()
  } catch {
    return false
  }
}

/**
 * A file is opened when it is read. One that is missing fails at once, and while nobody reads it nobody would hear of
 * that: the program would end with a trace.
 */
async function* readChunks(name: string, open: () => AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* open()
  } catch (error) {
    throw failure(`cannot read ${name}: ${reasonOf(error)}`, error)
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return (typeof code === 'string' ? reasons.get(code) : undefined) ?? String(code ?? error)
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file'],
  ['ENOTDIR', 'a part of the path is not a directory'],
  ['EISDIR', 'it is a directory'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
])
