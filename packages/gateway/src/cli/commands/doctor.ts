import { readFile } from 'node:fs/promises'
import { servers } from '@dragoman/core'
import type { GatewayConfig, Upstream } from '../../config/config.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { ruleFor } from '../../config/match-model.ts'
import type { ConfigFlags } from '../../config/overlays.ts'
import { treeAt } from '../../config/setting-tree.ts'
import type { CheckedFinding } from '../../doctor/finding.ts'
import type { Subject } from '../../doctor/open-patient.ts'
import type { Prescription } from '../../doctor/prescription.ts'
import { CliError, failure, usageError } from '../../terminal/cli-error.ts'
import type { Io } from '../../terminal/io.ts'
import type { CommandArguments } from '../arguments.ts'
import { startSimulator } from '../built-in-simulator.ts'
import type { Command } from '../command.ts'
import { configOptions } from '../config-options.ts'
import { DoctorView } from '../doctor-view.ts'
import { readConfig } from '../read-config.ts'
import { starterConfig } from '../starter-config.ts'
import { writePrivately } from '../write-privately.ts'

const usualFile = 'dragoman.yaml'
const hint = 'See dragoman doctor --help'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Ask a server a few questions, and tell what works, what does not, and what to do.',
  operands: '',
  operandCount: { min: 0, max: 0 },
  description: [
    'Makes about fifteen small requests to a server that runs models: whether it is there, what it is,',
    'whether calls of tools arrive, streamed and whole, whether results, reasoning and images are taken.',
    'Ends with the lines of configuration that make it work, each of them tried before.',
    '',
    'Exits with 0 where agents would work, with the lines if there are any, and with 1 where not.',
  ],
  options: {
    upstream: {
      type: 'string',
      short: 'u',
      value: 'URL',
      help: 'The server, or the name of an upstream in the file.',
    },
    'upstream-key-env': configOptions['upstream-key-env'],
    config: configOptions.config,
    model: {
      type: 'string',
      short: 'm',
      value: 'NAME',
      help: 'The model to ask. Default: the first in the list.',
    },
    timeout: { type: 'string', value: 'D', help: 'The longest wait for an answer. Default: 120s.' },
    json: { type: 'boolean', help: 'Print JSON.' },
    write: { type: 'boolean', help: 'Write the lines into ./dragoman.yaml, or into the file of --config.' },
  },
  examples: [
    { command: 'doctor --upstream http://127.0.0.1:8000/v1', does: 'Examine your own server.' },
    {
      command: 'doctor -u https://openrouter.ai/api/v1 -m moonshotai/kimi-k2-thinking --json',
      does: 'The same as data.',
    },
    { command: 'doctor --model kimi-k2 --write', does: 'Examine what the file says, and mend the file.' },
  ],
  async run(given, io) {
    const timeout = readTimeout(given.text('timeout') ?? '120s')
    const { loaded } = await readConfig(await flagsFor(given), io, 'shown')
    const [{ examine, isWell }, { openPatient, unruled }, prescribing] = await Promise.all([
      import('../../doctor/doctor.ts'),
      import('../../doctor/open-patient.ts'),
      import('../../doctor/prescription.ts'),
    ])
    const subject = { ...subjectOf(loaded.config, given, unruled), timeout }
    const { upstream, rule } = subject
    const { patient, close } = openPatient(subject, loaded.config, { now: io.now, startSimulator })
    const view = new DoctorView(io, given.flag('json'))
    const findings: CheckedFinding[] = []
    try {
      await view.begin(upstream.url)
      for await (const finding of examine(patient, ({ title }) => view.wait(title))) {
        findings.push(finding)
        await view.show(finding)
      }
    } finally {
      await close()
    }
    const prescription: Prescription = {
      upstream: {
        name: upstream.name === 'upstream' ? 'main' : upstream.name,
        url: upstream.url,
        dialect: upstream.dialect,
        keyVariable: keyVariableOf(loaded, upstream),
      },
      model: patient.model,
      remedy: prescribing.remedyOf(findings),
    }
    const works = isWell(findings)
    const window = rule.window ?? patient.facts.window ?? null
    const isWritten = given.flag('write') && works
    if (isWritten) await write(prescription, given.text('config') ?? usualFile, io)
    if (given.flag('json')) {
      const data = {
        upstream: upstream.url,
        kind: patient.server?.id ?? null,
        version: patient.version ?? null,
        model: patient.model === '' ? null : patient.model,
        window,
        checks: findings.map(({ id, status, seen, advice }) => ({
          id,
          status,
          seen,
          advice: advice ?? null,
        })),
        config: prescribing.configOf(prescription),
      }
      await io.stdout.line(JSON.stringify(data, null, 2))
    } else {
      const lines = prescribing.isNeedless(prescription) ? null : prescribing.configLines(prescription)
      const start = startCommand(prescription, given, isWritten)
      await view.end({ works, window, lines, file: given.text('config') ?? usualFile, start })
    }
    return works ? 0 : 1
  },
}

/** Whole numbers with a unit, as in the configuration. */
function readTimeout(text: string): number {
  const [, amount, unit] = /^(\d{1,6})(ms|s|m)$/.exec(text) ?? []
  const milliseconds = Number(amount) * (unit === 'm' ? 60_000 : unit === 's' ? 1000 : 1)
  if (milliseconds > 0 && milliseconds <= 3_600_000) return milliseconds
  throw usageError(`--timeout needs a duration such as 500ms, 30s or 5m, not "${text}"`, hint)
}

/** An option that names an upstream of the file is not an address, and the model is then one of the file. */
async function flagsFor(given: CommandArguments): Promise<ConfigFlags> {
  const url = urlIn(given)
  const config = given.text('config')
  const keyVariable = given.text('upstream-key-env')
  const model = given.text('model')
  // A file that is to be written need not be there.
  const isRead =
    config !== undefined && (!given.flag('write') || url === undefined || (await isThere(config)))
  return {
    ...(isRead ? { config } : {}),
    ...(url === undefined ? {} : { upstream: url }),
    ...(keyVariable === undefined ? {} : { 'upstream-key-env': keyVariable }),
    ...(url === undefined || model === undefined ? {} : { model }),
  }
}

/** An address may lack its scheme. It is refused then as an address, and not looked for among the names. */
function urlIn(given: CommandArguments): string | undefined {
  const upstream = given.text('upstream')
  return upstream !== undefined && /:\/\/|:\d+(?:\/|$)|\/v\d/.test(upstream) ? upstream : undefined
}

/** Which upstream is examined, and the rule by which the gateway would ask it. */
function subjectOf(
  config: GatewayConfig,
  given: CommandArguments,
  unruled: Subject['rule'],
): Omit<Subject, 'timeout'> {
  const { upstreams, models } = config
  if (upstreams === 'simulator') throw noUpstream()
  const model = given.text('model')
  const named = urlIn(given) === undefined ? given.text('upstream') : undefined
  if (named !== undefined && !upstreams.has(named)) {
    const known = [...upstreams.keys()].join(', ')
    throw usageError(`no upstream of the configuration is called "${named}"`, `It has: ${known}`)
  }
  const rules = models
    .flatMap((each) => (each.order?.flat() ?? [each]).map((target) => Object.assign({}, each, target)))
    .filter((each) => named === undefined || each.upstream === named)
  const rule = model === undefined ? rules[0] : ruleFor(model, { models: rules })
  if (rule === undefined && named === undefined) {
    const message = `no rule of the configuration matches ${model ?? 'anything'}`
    throw new CliError(1, message, 'Name the upstream, too: --upstream NAME')
  }
  const upstream = upstreams.get(named ?? rule?.upstream ?? '')
  if (upstream === undefined) throw noUpstream()
  return { upstream, rule: { ...unruled, ...rule, model: rule?.model ?? model ?? null } }
}

function noUpstream(): CliError {
  const ports = servers.flatMap(({ title, port }) => (port === undefined ? [] : [`${title} ${port}`]))
  return usageError(
    'no upstream is configured; name one, as in --upstream http://127.0.0.1:8000/v1',
    `Usual ports: ${ports.join(', ')}`,
  )
}

function keyVariableOf({ settings }: LoadedConfig, { name }: Upstream): string | undefined {
  const key = treeAt(settings, ['upstreams', name, 'apiKey'])
  return key?.kind === 'value' ? key.variables?.[0] : undefined
}

/**
 * How the gateway is started with what was examined. A command that names the address again would leave the settings
 * of the file aside.
 */
function startCommand(
  { upstream, model, remedy }: Prescription,
  given: CommandArguments,
  isWritten: boolean,
): string {
  const config = given.text('config')
  const file = config === undefined ? '' : ` -c ${quoted(config)}`
  const needsLines = Object.keys({ ...remedy.upstream, ...remedy.model }).length > 0
  if (isWritten || needsLines || urlIn(given) === undefined) return `npx dragoman${file}`
  const key = upstream.keyVariable === undefined ? '' : ` --upstream-key-env ${upstream.keyVariable}`
  return `npx dragoman${file} --upstream ${upstream.url}${key} --model ${model}`
}

/** As a shell reads it as one word. */
function quoted(path: string): string {
  return /^[\w./@:+~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

/** Puts the lines into the file, and tells which lines of it changed. Standard output is for the findings. */
async function write(prescription: Prescription, path: string, { stderr }: Io): Promise<void> {
  const { changedLines, withPrescription } = await import('../../doctor/config-file.ts')
  const { url: upstream, keyVariable } = prescription.upstream
  const there = await textOf(path)
  const before = there ?? starterConfig({ upstream, keyVariable })
  const after = withPrescription(before, prescription, there === undefined ? 'new' : 'there')
  const changes = changedLines(there === undefined ? before : there, after)
  if (there === after) {
    await stderr.line(`${path} says all of this already.`)
    return
  }
  await writePrivately(path, after, there !== undefined)
  await stderr.line([`Wrote ${path}:`, ...changes].join('\n'))
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw failure(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await textOf(path)) !== undefined
}
