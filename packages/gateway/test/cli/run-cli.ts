import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const binary = fileURLToPath(new URL('../../bin/dragoman.js', import.meta.url))

export function sample(name: string): string {
  return fileURLToPath(new URL(`../../samples/${name}`, import.meta.url))
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built program to its end, with nothing on standard input unless `input` says so. */
export function dragoman(
  args: readonly string[],
  { input = '', env = {} }: { input?: string | Uint8Array; env?: Record<string, string> } = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [binary, ...args], { env: { PATH: process.env['PATH'], ...env } })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // The program may end before it has read everything; that is not what the tests look at.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** Runs `use` with a file of this text, which is gone afterwards. */
export async function withFile<Result>(
  name: string,
  text: string | Uint8Array,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'dragoman-test-'))
  try {
    const path = join(directory, name)
    await writeFile(path, text)
    return await use(path)
  } finally {
    await rm(directory, { recursive: true })
  }
}

export const kimiCall =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>' +
  '{"zone": "UTC"}<|tool_call_end|><|tool_calls_section_end|>'
