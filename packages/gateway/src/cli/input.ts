import { createReadStream } from 'node:fs'
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
    return { name: operand, chunks: readChunks(operand, createReadStream(operand)) }
  }
  if (operand === undefined && io.stdin.isTTY) {
    await io.stderr.line('Reading from the terminal: type or paste the text, then end it with Ctrl-D.')
  }
  return { name: 'standard input', chunks: readChunks('standard input', io.stdin) }
}

/** Reads the whole input as text, without the byte order mark that some editors write. */
export async function readText(input: InputSource): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input.chunks) chunks.push(chunk)
  return new TextDecoder().decode(Buffer.concat(chunks))
}

async function* readChunks(name: string, stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream
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
