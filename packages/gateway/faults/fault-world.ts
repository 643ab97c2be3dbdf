import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { DialectName, Received } from '../../core/test/clients-agree/answer.ts'
import { IllegalAnswer, type View } from '../../core/test/clients-agree/view.ts'
import { type ProgramOptions, type RunningProgram, startProgram } from '../test/cli/running-program.ts'
import { until } from '../test/server/scripted-upstream.ts'
import { dialectNames, readers, requests, type Wants } from './dialects.ts'
import { askRaw, type RawAnswer, type RawRequest } from './raw-client.ts'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'

/** Secrets that must not be seen in anything that leaves the program. */
const canaries = {
  upstream: 'canary/upstream+key-7c1d9a02',
  client: 'canary/client+key-5f60be31-and-longer',
}

const configFile = 'dragoman.json'

/** The states of connections in the table of the system. */
const ESTABLISHED = '01'
const CLOSE_WAIT = '08'

/** What the rows may wait for: short enough for a test, long enough for a machine that has much to do. */
export const waits = { idle: 700, headers: 1200, connect: 700, finishGrace: 150 }

/** A second beyond a limit is a fault; another is for a machine that has much to do. */
export const slack = 2000

export interface Asked {
  readonly client: DialectName
  readonly wants: Wants
  readonly model: string
}

/** What a client got, and what it understands of it. */
export interface Got extends RawAnswer {
  readonly view: View
}

/** The program as it runs for a team, in front of an upstream that a test scripts. */
export class FaultWorld {
  readonly upstream: RawUpstream
  readonly program: RunningProgram
  readonly port: number
  private readonly folder: string
  private readonly file: string
  /** All that clients have got. */
  private readonly received: string[] = []

  private constructor(upstream: RawUpstream, program: RunningProgram, folder: string) {
    this.upstream = upstream
    this.program = program
    this.port = Number(new URL(program.address).port)
    this.folder = folder
    this.file = join(folder, configFile)
  }

  /** `addresses`: upstreams that are somewhere else, by the beginning of the models' names. */
  static async start(
    addresses: Readonly<Record<string, string>> = {},
    settings: Readonly<Record<string, unknown>> = {},
    { args = [], ...how }: ProgramOptions & { readonly args?: readonly string[] } = {},
  ): Promise<FaultWorld> {
    const upstream = await startRawUpstream()
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-faults-'))
    const file = join(folder, configFile)
    const config = configuration(upstream.port, addresses, join(folder, 'dragoman.log'))
    writeFileSync(file, JSON.stringify({ ...config, ...settings }), { mode: 0o600 })
    const command = ['serve', '--config', file, '--port', '0', ...args]
    const program = await startProgram(command, { cwd: folder, ...how })
    return new FaultWorld(upstream, program, folder)
  }

  async ask({ client, wants, model }: Asked): Promise<Got> {
    const answer = await this.send(requests[client](model, wants))
    try {
      return { ...answer, view: readers[client](receivedIn(answer)) }
    } catch (error) {
      if (!(error instanceof IllegalAnswer)) throw error
      throw new Error(`${client} cannot read it: ${error.message}\n${answer.head}\n\n${answer.body}`, {
        cause: error,
      })
    }
  }

  /** What lets a client in. */
  readonly keyHeader = { authorization: `Bearer ${canaries.client}` }

  async send(request: RawRequest): Promise<RawAnswer> {
    const headers = { ...this.keyHeader, ...request.headers }
    const answer = await askRaw(this.port, { ...request, headers })
    this.received.push(answer.head, answer.body)
    return answer
  }

  /** What must hold whatever happened: nothing is left open, the program lives, and no secret was told. */
  async expectCalm(): Promise<void> {
    await until(() => this.upstream.openRequests === 0 && this.clients() === 0, 1000)
    expect(this.program.child.exitCode, this.program.stderr()).toBeNull()
    const seen = [...this.received, this.program.stdout(), this.program.stderr(), this.log()].join('\n')
    for (const secret of Object.values(canaries).flatMap(formsOf)) expect(seen).not.toContain(secret)
    expect(seen).not.toMatch(/unhandled|uncaught|\n {4}at /i)
  }

  /** Changes the file, and asks the program to read it again. */
  reconfigure(change: (config: object) => object): void {
    const config: unknown = JSON.parse(readFileSync(this.file, 'utf8'))
    if (typeof config !== 'object' || config === null) throw new Error('the configuration is no object')
    writeFileSync(this.file, JSON.stringify(change(config)))
    this.program.child.kill('SIGHUP')
  }

  /** Connections of clients that the program has not closed: those that it serves, and those that it forgot. */
  private clients(): number {
    const port = this.port.toString(16).toUpperCase().padStart(4, '0')
    const table = readFileSync(`/proc/${this.program.child.pid}/net/tcp`, 'utf8')
    return table.split('\n').filter((line) => {
      const [, local = '', , state = ''] = line.trim().split(/\s+/)
      return local.endsWith(`:${port}`) && (state === ESTABLISHED || state === CLOSE_WAIT)
    }).length
  }

  /** Sockets that the program has open. Connections to upstreams are kept for a while. */
  sockets(): number {
    const folder = `/proc/${this.program.child.pid}/fd`
    return readdirSync(folder).filter((fd) => linkOf(join(folder, fd)).startsWith('socket:')).length
  }

  /** Empty where the log went elsewhere. */
  log(): string {
    const file = join(this.folder, 'dragoman.log')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  async stop(): Promise<void> {
    this.program.child.kill('SIGKILL')
    await this.program.exit
    this.upstream.stop()
    rmSync(this.folder, { recursive: true })
  }
}

/** What an answer is to the reader of a dialect. */
export function receivedIn({ status, head, body }: RawAnswer): Received {
  const isStream = /^content-type: text\/event-stream/im.test(head)
  return { status, is: isStream ? 'stream' : 'whole', body }
}

function configuration(port: number, addresses: Readonly<Record<string, string>>, logFile: string): object {
  const apiKey = canaries.upstream
  const here = dialectNames.map((dialect) => [
    dialect,
    {
      url: `http://127.0.0.1:${port}/${dialect === 'gemini' ? 'v1beta' : 'v1'}`,
      dialect,
      kind: 'other',
      apiKey,
    },
  ])
  const elsewhere = Object.entries(addresses).map(([name, url]) => [name, { url, kind: 'other', apiKey }])
  const upstreams = Object.fromEntries([...here, ...elsewhere])
  return {
    upstreams,
    models: Object.keys(upstreams).map((name) => ({ match: `${name}.*`, upstream: name })),
    keys: [{ name: 'ada', sha256: createHash('sha256').update(canaries.client).digest('hex') }],
    timeouts: {
      ...Object.fromEntries(Object.entries(waits).map(([name, milliseconds]) => [name, `${milliseconds}ms`])),
      drain: '500ms',
    },
    limits: { lineBytes: 262_144, toolCallBytes: 65_536 },
    log: { level: 'debug', file: logFile },
  }
}

function formsOf(secret: string): string[] {
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')]
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
