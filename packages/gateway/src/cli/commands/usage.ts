import { request } from 'node:http'
import { printable } from '../../base/printable.ts'
import { isLoopbackHost } from '../../config/addresses.ts'
import type { GatewayConfig } from '../../config/config.ts'
import type { UsageRow } from '../../quotas/store.ts'
import { type UsageColumn, usageColumns } from '../../quotas/usage-report.ts'
import { CliError, failure, usageError } from '../../terminal/cli-error.ts'
import type { Io } from '../../terminal/io.ts'
import type { CommandArguments } from '../arguments.ts'
import type { Command } from '../command.ts'
import { configOptions, readConfigFlags } from '../config-options.ts'
import { readConfig } from '../read-config.ts'

const { config, port, host } = configOptions

export const usage: Command = {
  name: 'usage',
  summary: 'Tell who used what: requests, tokens and cost by key, model and upstream.',
  operands: '',
  operandCount: { min: 0, max: 0 },
  description: [
    'Reads the store that the configuration names. Where use is counted in memory, the gateway that',
    'runs at the address of the configuration is asked; with keys it wants one, from DRAGOMAN_API_KEY',
    'or the variable of --key-env. Days are those of UTC.',
  ],
  options: {
    config,
    port,
    host,
    'key-env': { type: 'string', value: 'NAME', help: 'The variable that holds a key for the gateway.' },
    since: { type: 'string', value: 'WHEN', help: 'A span such as 7d or 24h, or a day. Default 7d.' },
    by: {
      type: 'string',
      value: 'WHAT',
      oneOf: ['key', 'model', 'upstream', 'day'],
      help: 'Sum up by key, model, upstream or day. Default: a line for each day, key, model and upstream.',
    },
    json: { type: 'boolean', help: 'Print JSON.' },
    csv: { type: 'boolean', help: 'Print CSV.' },
  },
  examples: [
    { command: 'usage --by key', does: 'What each key used in the last seven days.' },
    { command: 'usage --since 2026-11-01 --csv > november.csv', does: 'For a spreadsheet.' },
  ],
  async run(given, io) {
    if (given.flag('json') && given.flag('csv')) {
      throw usageError('--json and --csv: choose one.', 'See dragoman usage --help')
    }
    const since = firstDay(given.text('since') ?? '7d', Date.now())
    const columns = columnsFor(given.text('by'))
    const { loaded } = await readConfig(readConfigFlags(given), io, 'shown')
    const rows = await rowsSince(since, loaded.config, given, io)
    const { csvOf, summed, tableOf } = await import('../../quotas/usage-report.ts')
    const lines = summed(rows, columns)
    if (given.flag('json')) await io.stdout.line(JSON.stringify({ since, usage: lines }, null, 2))
    else if (given.flag('csv')) await io.stdout.write(csvOf(lines, columns))
    else if (lines.length === 0) await io.stdout.line(`Nothing was used since ${since}.`)
    else await io.stdout.write(tableOf(lines.map(safe), columns))
    return 0
  },
}

function columnsFor(by: string | undefined): readonly UsageColumn[] {
  return usageColumns.filter((column) => by === undefined || column === by)
}

const spans: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 }

/** The first day that counts, such as `2026-11-16`. */
function firstDay(since: string, today: number): string {
  if (/^\d{4}-\d\d-\d\d$/.test(since) && !Number.isNaN(Date.parse(since))) return since
  const [, count, unit = ''] = /^(\d{1,5})([hd])$/.exec(since) ?? []
  const span = spans[unit]
  if (span === undefined) {
    throw usageError(`--since must be a span such as 7d or 24h, or a day such as 2026-11-01, not "${since}".`)
  }
  return new Date(today - Number(count) * span).toISOString().slice(0, 'yyyy-mm-dd'.length)
}

async function rowsSince(
  since: string,
  { accounting, listen }: GatewayConfig,
  given: CommandArguments,
  io: Io,
): Promise<readonly UsageRow[]> {
  if (accounting === undefined) {
    throw new CliError(
      1,
      'usage is not counted with this configuration.',
      'Set store: memory, or store: redis://…',
    )
  }
  if (accounting.store.is === 'memory') return askGateway(since, listen, given, io)
  const { RedisStore } = await import('../../quotas/redis-store.ts')
  const store = new RedisStore({ url: accounting.store.url.reveal(), today: Date.now })
  try {
    return await store.usage(since)
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error), error)
  } finally {
    await store.close()
  }
}

const ASK_MS = 10_000

async function askGateway(
  since: string,
  { host: bound, port: at, allowedHosts }: GatewayConfig['listen'],
  given: CommandArguments,
  { env }: Io,
): Promise<UsageRow[]> {
  const name = ['0.0.0.0', '::'].includes(bound) ? '127.0.0.1' : bound.includes(':') ? `[${bound}]` : bound
  const base = `http://${name}:${at}`
  const variable = given.text('key-env') ?? 'DRAGOMAN_API_KEY'
  const key = env[variable]
  // A gateway that others reach answers only under its names, and this machine need not know them.
  const [calledBy] = isLoopbackHost(bound) ? [] : allowedHosts
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(calledBy === undefined ? {} : { host: calledBy }),
  }
  const { status, body } = await get(`${base}/usage?since=${since}`, headers).catch((error: unknown) => {
    throw new CliError(
      1,
      `no gateway answers at ${base}, and use is counted in its memory.`,
      'Start it, or set store: redis://… to keep usage beyond its life.',
      { cause: error },
    )
  })
  if (status === 401) {
    throw new CliError(
      1,
      `the gateway at ${base} wants a key.`,
      `Set ${variable}, or name another variable with --key-env.`,
    )
  }
  if (status !== 200) throw failure(`the gateway at ${base} answers ${status}`)
  const { rowFrom } = await import('../../quotas/usage-report.ts')
  const { counted, usage: listed }: Record<string, unknown> = Object(JSON.parse(body))
  if (counted === false)
    throw failure(`the gateway at ${base} runs with a configuration that counts no usage`)
  return (Array.isArray(listed) ? listed : []).flatMap((row: unknown) => rowFrom(row) ?? [])
}

/** `fetch` would not let us say by which name the gateway is called. */
function get(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, fail) => {
    const asked = request(url, { headers, signal: AbortSignal.timeout(ASK_MS) }, (response) => {
      let body = ''
      response
        .setEncoding('utf8')
        .on('data', (text: string) => (body += text))
        .on('end', () => resolve({ status: response.statusCode ?? 0, body }))
        .on('error', fail)
    })
    asked.on('error', fail).end()
  })
}

/** Names of models come from clients. */
function safe<Line extends object>(line: Line): Line {
  return {
    ...line,
    ...Object.fromEntries(
      Object.entries(line).map(([name, value]) => [
        name,
        typeof value === 'string' ? printable(value) : value,
      ]),
    ),
  }
}
