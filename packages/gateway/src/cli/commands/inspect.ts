import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import type { CommandArguments } from '../arguments.ts'
import { failure, usageError } from '../../terminal/cli-error.ts'
import type { Io } from '../../terminal/io.ts'
import type { Command } from '../command.ts'
import { listenFailure } from '../listen-failure.ts'
import { packageFile, packageVersion } from '../package-files.ts'

const usualFolder = './recordings'

export const inspect: Command = {
  name: 'inspect',
  summary: 'Show recordings in the browser, without a gateway.',
  operands: '[DIR|FILE]',
  operandCount: { min: 0, max: 1 },
  description: [
    'Serves the inspector to this machine alone: a page that shows what a client asked, what the upstream',
    'was asked, what it said, and what the client got, of every recording in a folder or of one file (see',
    `dragoman serve --record). Default: ${usualFolder}. No upstream is asked, and nothing is changed.`,
    'Files of any size are read in pieces. What dragoman serve itself keeps is at /inspector there.',
  ],
  options: {
    port: { type: 'string', short: 'p', value: 'N', help: 'The port. Default: any free one.' },
  },
  examples: [
    { command: 'inspect', does: `The recordings in ${usualFolder}.` },
    { command: 'inspect recordings/2026-03-04T05-06-07.008Z-1f0c.json', does: 'One of them.' },
  ],
  run: runInspect,
}

async function runInspect(given: CommandArguments, io: Io): Promise<number> {
  const [at = usualFolder] = given.operands
  const port = portIn(given)
  await checkPlace(at)
  const { RecordingsServer } = await import('../../inspection/recordings-server.ts')
  const pageFolder = packageFile('dist/inspector')
  const server = new RecordingsServer({ at, version: await packageVersion(), pageFolder })
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const address = await server.listen(port).catch(async (error: unknown) => {
    throw await listenFailure(error, { host: '127.0.0.1', port })
  })
  await io.stdout.line(`dragoman inspector on ${address}`)
  await io.stderr.line('Open it in a browser on this machine. Ctrl-C ends it.')
  await ended
  await server.close()
  return 0
}

/** An empty page would not tell what is wrong. */
async function checkPlace(at: string): Promise<void> {
  const found = await stat(at).catch(() => undefined)
  if (found === undefined) throw failure(`there is no file or folder ${at}`)
  if (found.isDirectory()) {
    const names = await readdir(at)
    if (!names.some((name) => name.endsWith('.json'))) throw failure(`there is no recording in ${at}`)
    return
  }
  const { isRecording, scanRecording } = await import('../../inspection/recorded-exchanges.ts')
  const scanned = await scanRecording(at)
  if (!isRecording(scanned)) throw failure(`${at} is not a recording of dragoman`)
}

function portIn(given: CommandArguments): number {
  const text = given.text('port') ?? '0'
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw usageError(`--port needs a number up to 65535, not "${text}"`, 'See dragoman inspect --help')
}
