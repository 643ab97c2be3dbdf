import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { recordingsIn } from '../../recorder/recording-folder.ts'
import type { ReplaySettings } from '../../recorder/replay.ts'
import type { CommandArguments } from '../arguments.ts'
import { failure } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import { dialectIn, readableFormat } from '../shared-options.ts'
import { openInput } from '../input.ts'
import type { Io } from '../../terminal/io.ts'
import { openRecorded } from '../recorded-input.ts'
import { warningWatcher } from '../warning-watcher.ts'

export const replay: Command = {
  name: 'replay',
  summary: 'Show what the client of a recorded exchange would get today.',
  operands: 'FILE|DIR|-',
  operandCount: { min: 1, max: 1 },
  description: [
    'Runs the answer of the upstream in a recording (see dragoman serve --record) through the translation',
    'of this version and writes what the client would get. No upstream is asked. Ids are counted, so that',
    'the same recording always gives the same output. Of a folder every recording is replayed, oldest first.',
  ],
  options: {
    to: {
      type: 'string',
      value: 'DIALECT',
      help: 'For a client of this dialect. Default: the recorded one.',
    },
    format: {
      type: 'string',
      short: 'f',
      value: 'F',
      help: 'Read the answer in this format. Default: as it was read.',
    },
  },
  examples: [
    { command: 'replay recordings', does: 'Everything in a folder of recordings.' },
    {
      command: 'replay --to anthropic-messages --format kimi recordings/2026-03-04T05-06-07.008Z-1f0c.json',
      does: 'One exchange, for another client, read as Kimi.',
    },
  ],
  async run(given, io) {
    const [operand = '-'] = given.operands
    const paths = await pathsAt(operand)
    for await (const { path, said, body } of replayed(paths, given, io)) {
      if (paths.length > 1) await io.stderr.line(io.stderr.style('bold', path))
      await io.stderr.write(said.map((message) => `${warning(io)} ${message}\n`).join(''))
      await io.stdout.write(body)
    }
    return 0
  },
}

async function pathsAt(operand: string): Promise<string[]> {
  const isFolder = await stat(operand).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return [operand]
  const names = await recordingsIn(operand)
  if (names.length === 0) throw failure(`there is no recording in ${operand}`)
  return names.map((name) => join(operand, name))
}

interface Replayed {
  readonly path: string
  readonly said: readonly string[]
  readonly body: string
}

async function* replayed(
  paths: readonly string[],
  given: CommandArguments,
  io: Io,
): AsyncGenerator<Replayed> {
  const to = dialectIn(given, 'to')
  const name = given.text('format')
  const settings = {
    ...(to === undefined ? {} : { to }),
    ...(name === undefined ? {} : { format: readableFormat(name) }),
  }
  for (const path of paths) yield replayFile(path, settings, io)
}

async function replayFile(
  path: string,
  settings: Omit<ReplaySettings, 'watcher'>,
  io: Io,
): Promise<Replayed> {
  const input = await openInput(path, io)
  const opened = await openRecorded(input)
  if (opened.is !== 'recording') throw failure(`${input.name} is not a recording of dragoman`)
  const { recording } = opened
  const { upstream } = recording
  if (upstream === null || upstream.status === null) {
    return { path, said: ['no upstream answered'], body: '' }
  }
  const { replayExchange } = await import('../../recorder/replay.ts')
  const said: string[] = []
  const watcher = warningWatcher((message) => said.push(message))
  const { status, body, failure: told } = replayExchange(recording, upstream, { ...settings, watcher })
  if (told !== null) said.push(`failure ${told.code}: ${told.message}`)
  if (status !== 200) said.push(`the client would get HTTP status ${status}`)
  return { path, said, body: body.endsWith('\n') ? body : `${body}\n` }
}

function warning({ stderr }: Io): string {
  return stderr.style('yellow', 'warning:')
}
