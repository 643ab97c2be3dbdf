import { entriesIn, type ModelFacts, textCallsOf } from '@dragoman/core'
import { didYouMean } from '../../base/did-you-mean.ts'
import { basePath } from '../../upstream/upstream-request.ts'
import { isTooSmall, LEAST_WINDOW } from '../agent-window.ts'
import { jsonIn } from '../http.ts'
import { type Check, fail, type Finding, note, ok, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'
import { isObject } from '../../base/is-object.ts'

/** What server it is, and what it says of its models. */
export const serverChecks: readonly Check[] = [
  { id: 'kind', title: 'kind of server', needs: ['key'], run: kind },
  { id: 'model', title: 'model', needs: ['key'], run: modelListed },
  { id: 'window', title: 'window', needs: ['model'], run: window },
]

async function kind(patient: Patient): Promise<Finding> {
  const { upstream, line } = patient
  const entries = entriesIn(jsonIn(await patient.list())) ?? []
  if (patient.model === '') patient.model = firstModel(entries.map(({ id }) => String(id)))
  const { server, version, facts } = await line.upstreams.settled(upstream, patient.model)
  patient.facts = facts
  if (server === undefined) {
    return note(
      'not one that is known by its answers',
      'If you know what it is, say so with "kind" in the configuration.',
    )
  }
  patient.server = server
  patient.version = version
  const way = textCallsOf(server, version)
  if (upstream.parse === 'ours' && way !== undefined) {
    patient.mode =
      way.by === 'fields'
        ? { is: 'text', fields: way.fields }
        : { is: 'prompt', format: patient.promptFormat }
  }
  const said = upstream.kind === server.id ? ', as the configuration says' : ''
  return ok(`${server.title}${version === undefined ? '' : ` ${version}`}${said}`)
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
  const { model: name, rule } = patient
  if (name === '') {
    return fail('the server lists no model', 'Name one with --model NAME.')
  }
  if (entries === null) {
    return note(`${name}; the server has no list of models (${exchange.status})`)
  }
  const names = entries.map(({ id }) => String(id))
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

async function window(patient: Patient): Promise<Finding> {
  const { facts, rule } = patient
  const tokens = rule.window ?? facts.window
  return tokens === undefined ? windowByRefusal(patient) : judged(tokens, facts)
}

function judged(tokens: number, facts: ModelFacts): Finding {
  if (!isTooSmall(tokens)) return ok(`${tokens} tokens`)
  const most = facts.trainedWindow ?? 0
  const room = most > tokens ? `, and the model was made for ${most}` : ''
  return warn(`${tokens} tokens${room}`, tooSmall)
}

const tooSmall = `Coding agents need ${LEAST_WINDOW} and more: start the server with a larger context.`

/** A server that does not tell its window tells it where it is asked for too much. */
async function windowByRefusal(patient: Patient): Promise<Finding> {
  const { server } = patient
  const { window: tokens, mostOutput } = (await patient.answer('tooMuch')).refusal?.overflow ?? {}
  // Some servers tell the window only of a model that is loaded. An answer has loaded it.
  const facts = { ...patient.facts, ...(await factsNow(patient)) }
  patient.facts = facts
  if (facts.window !== undefined) return judged(facts.window, facts)
  if (tokens !== undefined) {
    patient.facts = { ...facts, window: tokens }
    const seen = `${tokens} tokens, by what the server refuses`
    const remedy = { model: { window: tokens } }
    if (isTooSmall(tokens)) return warn(seen, tooSmall, remedy)
    return { status: 'note', seen, advice: 'Clients are told it with the lines below.', remedy }
  }
  const made =
    facts.trainedWindow === undefined ? '' : `; the model was made for ${facts.trainedWindow} tokens`
  const silent =
    server?.tooLong === 'silence' ? ` ${server.title} forgets what does not fit, and says nothing.` : ''
  const finding = note(
    `the server does not tell${made}`,
    `Set "window" of the model to the number of tokens that the server was started with.${silent}`,
  )
  return mostOutput === undefined ? finding : { ...finding, remedy: { model: { maxTokens: mostOutput } } }
}

/** What the probes of the server tell at this moment. */
async function factsNow({ server, upstream, model, line }: Patient): Promise<ModelFacts> {
  const answers = await Promise.all(
    (server?.probes ?? []).map(async ({ path, below, body, read }) => {
      const place = (below === 'api' ? basePath(upstream) : '') + path
      const reply = await line.upstreams.ask(upstream, { path: place, body: body?.(model) ?? null })
      return reply.is === 'json' && isObject(reply.json) ? read(reply.json, model) : null
    }),
  )
  return Object.assign({}, ...answers.flatMap((answer) => [answer?.models?.get(model), answer?.model]))
}
