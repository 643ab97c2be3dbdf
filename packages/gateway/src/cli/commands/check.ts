import { printable } from '../../base/printable.ts'
import type { GatewayConfig, ModelRule, RuleTarget } from '../../config/config.ts'
import type { LoadedConfig, LoadResult } from '../../config/load.ts'
import { type ConfigIssue, describeIssue, describeOrigin } from '../../config/origin.ts'
import { configOptions, exitCodeFor, readConfigFlags } from '../config-options.ts'
import type { Command } from '../command.ts'
import type { Io } from '../../terminal/io.ts'
import { startSimulator } from '../built-in-simulator.ts'
import { storeIssues } from '../store-issues.ts'
import { workerCount, workersOption } from '../shared-options.ts'
import { type Survey, survey, type SurveyedModel } from '../survey.ts'

export const check: Command = {
  name: 'check',
  summary: 'Check the configuration, and tell where each value comes from.',
  operands: '',
  operandCount: { min: 0, max: 0 },
  description: [
    'Reads what "dragoman serve" would read with the same options: the flags, the environment,',
    './dragoman.yaml and the file of the user. Prints all errors with line and column, or a summary',
    'with what the upstreams say of themselves. "dragoman doctor" looks closer at one of them.',
  ],
  options: {
    ...configOptions,
    workers: workersOption,
    explain: { type: 'boolean', help: 'Print every value and where it comes from.' },
    offline: { type: 'boolean', help: 'Ask no upstream and no store.' },
    json: { type: 'boolean', help: 'Print JSON.' },
  },
  examples: [
    { command: 'check', does: 'Check the configuration in use here.' },
    {
      command: 'check --config team.yaml --explain',
      does: 'Show what a file sets, and what is left as it is.',
    },
  ],
  async run(given, io) {
    const workers = workerCount(given, 'check')
    // The schema takes a while to load, and the other commands must not wait for it.
    const [{ loadConfig }, { processWorld }] = await Promise.all([
      import('../../config/load.ts'),
      import('../../config/world.ts'),
    ])
    const loaded = await loadConfig(processWorld(io.env, io.cwd()), readConfigFlags(given))
    const result = await withStoreAsked(loaded, workers, given.flag('offline') ? 'not asked' : 'asked')
    const known = result.ok && !given.flag('offline') ? await surveyed(result.config, io) : noSurvey
    const isExplained = given.flag('explain')
    if (given.flag('json'))
      await io.stdout.line(JSON.stringify(await dataOf(result, isExplained, known), null, 2))
    else await print(result, isExplained, known, io)
    return result.ok ? 0 : exitCodeFor(result.errors)
  },
}

/** The configuration, with what is wrong with its store. */
async function withStoreAsked(
  loaded: LoadResult,
  workers: number,
  asking: 'asked' | 'not asked',
): Promise<LoadResult> {
  if (!loaded.ok) return loaded
  const { errors, warnings } = await storeIssues(loaded, workers, asking)
  const told = { ...loaded, warnings: [...loaded.warnings, ...warnings] }
  return errors.length === 0 ? told : { ...told, ok: false, errors }
}

/** The configuration is right or wrong whether or not an upstream answers, so none is waited for much longer. */
const SURVEY_MS = 3000

const noSurvey: Survey = { upstreams: [], models: [] }

async function surveyed(config: GatewayConfig, io: Io): Promise<Survey> {
  const { Upstreams } = await import('../../upstream/upstreams.ts')
  const upstreams = new Upstreams({ now: io.now, proxies: config.proxies, startSimulator })
  try {
    return await survey(config, upstreams, SURVEY_MS, io)
  } finally {
    await upstreams.close()
  }
}

async function print(result: LoadResult, isExplained: boolean, known: Survey, io: Io): Promise<void> {
  const { stdout, stderr } = io
  const faults = known.upstreams.flatMap(({ name, fault }) =>
    fault === null ? [] : [`upstreams.${name}: ${printable(fault)}`],
  )
  const warnings = [...result.warnings.map(describeIssue), ...faults].map(
    (each) => `${stderr.style('yellow', 'warning:')} ${each}\n`,
  )
  await stderr.write(warnings.join(''))
  if (!result.ok) {
    const { errors } = result
    const count = errors.length === 1 ? 'one error' : `${errors.length} errors`
    const end = stderr.style('red', `The configuration has ${count}.`)
    await stderr.line([...errors.map(describeIssue), end].join('\n'))
    return
  }
  const from =
    result.files.length === 0 ? 'no file; flags, environment and defaults' : result.files.join(', ')
  await stdout.line(`${stdout.style('green', 'ok')} (${from})`)
  const rows = isExplained ? await explanation(result) : summary(result.config, known)
  await stdout.line(aligned(rows).join('\n'))
}

async function explanation({ settings }: LoadedConfig): Promise<string[][]> {
  const { explainConfig } = await import('../../config/explain.ts')
  return explainConfig(settings).map(({ path, value, origin }) => [path, value, describeOrigin(origin)])
}

function summary(
  { listen, keys, upstreams, models, record, accounting }: GatewayConfig,
  known: Survey,
): string[][] {
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  const servers =
    upstreams === 'simulator'
      ? [['upstream', 'simulator', 'built in; no model runs']]
      : [...upstreams.values()].map(({ name, url, dialect, apiKey }) => [
          'upstream',
          name,
          `${url} (${[dialect, serverOf(name, known), apiKey === null ? 'no key' : 'with key'].filter((each) => each !== null).join(', ')})`,
        ])
  const rules = models.map((rule) => ['model', rule.match, placesOf(rule)])
  return [
    ['listen', `http://${host}:${listen.port}`, keys.length === 0 ? 'no key needed' : keyCount(keys.length)],
    ...servers,
    ...rules,
    ...known.models.flatMap(windowRow),
    ...(accounting === undefined ? [] : [['usage', `counted in ${accounting.store.is}`]]),
    ['record', record === null ? 'off' : record.dir],
  ]
}

/** Where a rule leads: `a or b, then c`. */
function placesOf(rule: ModelRule): string {
  const pools = rule.order ?? [[rule]]
  return pools.map((pool) => pool.map(placeOf).join(' or ')).join(', then ')
}

function placeOf({ upstream, model, format }: RuleTarget): string {
  return `${upstream}${model === null ? '' : ` ${model}`} (format ${format})`
}

function serverOf(upstream: string, known: Survey): string | null {
  return known.upstreams.find(({ name }) => name === upstream)?.server ?? null
}

function windowRow({ name, match, window, maxOutput, tools, thinking, images }: SurveyedModel): string[][] {
  const abilities = Object.entries({ tools, thinking, images }).flatMap(([ability, has]) =>
    has === undefined ? [] : [has ? ability : `no ${ability}`],
  )
  const told = [
    ...(window === undefined ? [] : [`${window.toLocaleString('en')} tokens`]),
    ...(maxOutput === undefined ? [] : [`answers up to ${maxOutput.toLocaleString('en')}`]),
    ...abilities,
  ]
  return told.length === 0 ? [] : [['window', match === '*' ? name : match, told.join(', ')]]
}

function keyCount(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((at) => Math.min(40, Math.max(...rows.map((row) => row[at]?.length ?? 0))))
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
}

async function dataOf(result: LoadResult, isExplained: boolean, known: Survey): Promise<object> {
  const { ok, files, warnings } = result
  const common = {
    ok,
    files,
    errors: ok ? [] : result.errors.map(issueData),
    warnings: warnings.map(issueData),
    ...(known === noSurvey ? {} : { upstreams: known.upstreams, models: known.models }),
  }
  if (!result.ok || !isExplained) return common
  const rows = await explanation(result)
  return { ...common, values: rows.map(([path, value, origin]) => ({ path, value, origin })) }
}

function issueData({ origin, path, message }: ConfigIssue): object {
  return { ...origin, path, message }
}
