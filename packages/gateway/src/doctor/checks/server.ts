import {
  entriesIn,
  factsByName,
  type ListedModel,
  modelsOf,
  type ModelFacts,
  type Probe,
  type ProbeAnswer,
  type Server,
  serverAt,
  serverById,
  serverOfList,
  servers,
  textCallsOf,
} from '@dragoman/core'
import { didYouMean } from '../../base/did-you-mean.ts'
import { jsonIn } from '../http.ts'
import { type Check, fail, type Finding, note, ok, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'

/** What server it is, and what it says of its models. */
export const serverChecks: readonly Check[] = [
  { id: 'kind', title: 'kind of server', needs: ['reach', 'key'], run: kind },
  { id: 'model', title: 'model', needs: ['reach', 'key'], run: modelListed },
  { id: 'window', title: 'window', needs: ['model'], run: window },
]

async function kind(patient: Patient): Promise<Finding> {
  const { upstream } = patient
  const entries = entriesIn(jsonIn(await patient.list()))
  patient.model =
    patient.model === '' ? firstModel(entries?.map(({ id }) => String(id)) ?? []) : patient.model
  const said = serverById(upstream.kind)
  const known = said ?? serverAt(upstream.url) ?? serverOfList(entries ?? [])
  const server = known ?? (await recognised(patient))
  if (server === undefined) {
    return note(
      'not one that is known by its answers',
      'If you know what it is, say so with "kind" in the configuration.',
    )
  }
  patient.server = server
  await inTurn(server.probes, async (probe) => take(patient, await ask(patient, probe)))
  const way = textCallsOf(server, patient.version)
  if (upstream.parse === 'ours' && way !== undefined) {
    patient.mode =
      way.by === 'fields'
        ? { is: 'text', fields: way.fields }
        : { is: 'prompt', format: patient.promptFormat }
  }
  const version = patient.version === undefined ? '' : ` ${patient.version}`
  return ok(`${server.title}${version}${said === undefined ? '' : ', as the configuration says'}`)
}

/** Asks each server that people run themselves for what only it answers. */
async function recognised(patient: Patient): Promise<Server | undefined> {
  let found: Server | undefined
  await inTurn(servers, async (server) => {
    const [probe] = server.probes
    if (found !== undefined || probe === undefined || server.hosts !== undefined) return
    // The body of a question about one model is understood by nobody else.
    if (probe.body === undefined && (await ask(patient, probe)) !== null) found = server
  })
  return found
}

async function ask(patient: Patient, { path, below, body, read }: Probe): Promise<ProbeAnswer | null> {
  const { model, upstream } = patient
  const base = below === 'api' ? new URL(upstream.url).pathname.replace(/\/$/, '') : ''
  const exchange = await patient.get(base + path, body?.(model) ?? null)
  const answer = jsonIn(exchange)
  if (exchange.status !== 200 || !isObject(answer)) return null
  return read(answer, model)
}

function take(patient: Patient, answer: ProbeAnswer | null): void {
  if (answer === null) return
  patient.version ??= answer.version
  patient.facts = { ...patient.facts, ...answer.model, ...answer.models?.get(patient.model) }
}

/** Models that do not talk. */
const speechless = /embed|rerank|whisper|tts|moderation|guard/i

function firstModel(names: readonly string[]): string {
  return names.find((name) => !speechless.test(name)) ?? names[0] ?? ''
}

const SHOWN_NAMES = 5

async function modelListed(patient: Patient): Promise<Finding> {
  const exchange = await patient.list()
  const entries = entriesIn(jsonIn(exchange))
  const listed = entries === null ? [] : modelsOf(entries, patient.server)
  const { model: name, rule } = patient
  if (name === '') {
    return fail('the server lists no model', 'Name one with --model NAME.')
  }
  patient.facts = { ...factsByName(patient.server, name), ...factsOf(listed, name), ...patient.facts }
  if (entries === null) {
    return note(`${name}; the server has no list of models (${exchange.status})`)
  }
  const names = listed.map(({ id }) => id)
  if (names.includes(name)) {
    const others = names.length - 1
    const hint =
      rule.model === null && others > 0 ? `, the first of ${names.length}; --model names another` : ''
    return ok(`${name}${hint}`)
  }
  const near = didYouMean(name, names) ?? names.find((id) => id.includes(name) || name.includes(id))
  const some = near === undefined ? names.slice(0, SHOWN_NAMES) : [near]
  const more = near === undefined && names.length > some.length ? ', …' : ''
  const advice = some.length === 0 ? 'Check the name.' : `It has ${some.join(', ')}${more}: check the name.`
  return warn(`${name} is not in the list of the server`, advice)
}

function factsOf(listed: readonly ListedModel[], name: string): ModelFacts {
  const { id: _, ...facts } = listed.find(({ id }) => id === name) ?? { id: '' }
  return facts
}

/** The prompts of coding agents take more than ten thousand tokens before the first word of the user. */
const LEAST_WINDOW = 32_768

function window({ facts, rule, server }: Patient): Promise<Finding> {
  const tokens = rule.window ?? facts.window
  if (tokens === undefined) {
    const most = facts.trainedWindow
    const made = most === undefined ? '' : `; the model was made for ${most} tokens`
    const silent =
      server?.tooLong === 'silence' ? ` ${server.title} forgets what does not fit, and says nothing.` : ''
    return Promise.resolve(
      note(
        `the server does not tell${made}`,
        `Set "window" of the model to the number of tokens that the server was started with.${silent}`,
      ),
    )
  }
  if (tokens >= LEAST_WINDOW) return Promise.resolve(ok(`${tokens} tokens`))
  const most = facts.trainedWindow ?? 0
  const room = most > tokens ? `, and the model was made for ${most}` : ''
  return Promise.resolve(
    warn(
      `${tokens} tokens${room}`,
      `Coding agents need ${LEAST_WINDOW} and more: start the server with a larger context.`,
    ),
  )
}

/** One after the other: a small server may answer one request at a time. */
async function inTurn<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  await items.reduce(async (before, item) => {
    await before
    await run(item)
  }, Promise.resolve())
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
