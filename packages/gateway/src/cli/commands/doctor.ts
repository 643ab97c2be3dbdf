import { readFile } from 'node:fs/promises'
import { servers } from '@dragoman/core'
import type { GatewayConfig, Upstream } from '../../config/config.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { ruleFor } from '../../config/match-model.ts'
import type { ConfigFlags } from '../../config/overlays.ts'
import { treeAt } from '../../config/setting-tree.ts'
import type { CheckedFinding, Status } from '../../doctor/finding.ts'
import type { Subject } from '../../doctor/open-patient.ts'
import type { Prescription } from '../../doctor/prescription.ts'
import { printable } from '../../base/printable.ts'
import { CliError, failure, usageError } from '../../terminal/cli-error.ts'
import type { Io } from '../../terminal/io.ts'
import type { Style } from '../../terminal/output.ts'
import type { CommandArguments } from '../arguments.ts'
import { startSimulator } from '../built-in-simulator.ts'
import type { Command } from '../command.ts'
import { configOptions } from '../config-options.ts'
import { readConfig } from '../read-config.ts'
import { starterConfig } from '../starter-config.ts'
import { writePrivately } from '../write-privately.ts'

const usualFile = 'dragoman.yaml'
const hint = 'See dragoman doctor --help'
/** The longest title of a check. */
const TITLE_WIDTH = 23

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
    const subject = { ...subjectOf(loaded.config, given), timeout }
    const { upstream, rule } = subject
    const [{ examine, isWell }, { openPatient }, prescribing] = await Promise.all([
      import('../../doctor/doctor.ts'),
      import('../../doctor/open-patient.ts'),
      import('../../doctor/prescription.ts'),
    ])
    const { patient, close } = openPatient(subject, loaded.config, { now: io.now, startSimulator })
    const view = new View(io, given.flag('json'))
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
    if (given.flag('json')) {
      const data = {
        upstream: upstream.url,
        kind: patient.server?.id ?? null,
        version: patient.version ?? null,
        model: patient.model === '' ? null : patient.model,
        window: rule.window ?? patient.facts.window ?? null,
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
      await view.end(works, lines, prescription)
    }
    if (given.flag('write') && works) await write(prescription, given.text('config') ?? usualFile, io)
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

function urlIn(given: CommandArguments): string | undefined {
  const upstream = given.text('upstream')
  return upstream?.includes('://') === true ? upstream : undefined
}

/** Which upstream is examined, and the rule by which the gateway would ask it. */
function subjectOf(config: GatewayConfig, given: CommandArguments): Omit<Subject, 'timeout'> {
  const { upstreams, models } = config
  if (upstreams === 'simulator') throw noUpstream()
  const model = given.text('model')
  const named = urlIn(given) === undefined ? given.text('upstream') : undefined
  if (named !== undefined && !upstreams.has(named)) {
    const known = [...upstreams.keys()].join(', ')
    throw usageError(`no upstream of the configuration is called "${named}"`, `It has: ${known}`)
  }
  const rules = models.filter((each) => named === undefined || each.upstream === named)
  const rule = model === undefined ? rules[0] : ruleFor(model, { models: rules })
  if (rule === undefined && named === undefined) {
    const message = `no rule of the configuration matches ${model ?? 'anything'}`
    throw new CliError(1, message, 'Name the upstream, too: --upstream NAME')
  }
  const upstream = upstreams.get(named ?? rule?.upstream ?? '')
  if (upstream === undefined) throw noUpstream()
  return { upstream, rule: { ...unruled, ...rule, model: rule?.model ?? model ?? null } }
}

/** How a model is asked that no rule is for. */
const unruled = {
  format: 'auto',
  tools: 'native',
  startsInReasoning: null,
  thinking: 'auto',
  window: null,
} as const

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

const styles: Readonly<Record<Status, Style>> = {
  ok: 'green',
  note: 'cyan',
  warn: 'yellow',
  fail: 'red',
  skipped: 'dim',
}

/** Tells people what is found, while it is found. */
class View {
  private readonly io: Io
  private readonly isJson: boolean

  constructor(io: Io, isJson: boolean) {
    this.io = io
    this.isJson = isJson
  }

  async begin(url: string): Promise<void> {
    if (!this.isJson) await this.io.stdout.line(`${url}\n`)
  }

  /** A line that says what is being waited for. It is gone when the finding is there. */
  wait(title: string): void {
    if (this.io.stderr.isTerminal) void this.io.stderr.write(`\r\u001B[K${title} …`)
  }

  async show({ status, title, seen, advice, blockedBy }: CheckedFinding): Promise<void> {
    const { stdout, stderr } = this.io
    if (stderr.isTerminal) await stderr.write('\r\u001B[K')
    if (this.isJson || blockedBy !== undefined) return
    const word = stdout.style(styles[status], status.padEnd(7))
    const told = advice === undefined ? '' : ` ${stdout.style('bold', '→')} ${oneLine(advice)}`
    await stdout.line(`${word} ${title.padEnd(TITLE_WIDTH)} ${oneLine(seen).replace(/\.+$/, '')}.${told}`)
  }

  async end(works: boolean, lines: string | null, prescription: Prescription): Promise<void> {
    const { stdout } = this.io
    if (!works) {
      await stdout.line(`\n${stdout.style('red', 'Agents do not work with this upstream.')}`)
    } else if (lines === null) {
      await stdout.line(
        `\n${stdout.style('green', 'Agents work with this upstream.')} ${startLine(prescription)}`,
      )
    } else {
      const told = stdout.style('green', 'Agents work with these lines in dragoman.yaml:')
      await stdout.line(`\n${told}\n\n${lines.trimEnd()}`)
    }
  }
}

/** What a server says goes to the terminal only in characters that do nothing there. */
function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ')
}

function startLine({ upstream, model }: Prescription): string {
  const key = upstream.keyVariable === undefined ? '' : ` --upstream-key-env ${upstream.keyVariable}`
  return `Start the gateway with:\n\nnpx dragoman --upstream ${upstream.url}${key} --model ${model}`
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
