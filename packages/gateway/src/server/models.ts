import { dialects, isSameModel, type ModelEntry, type ModelFacts } from '@dragoman/core'
import type { GatewayConfig, ModelRule } from '../config/config.ts'
import { matchModel, type ModelRoute, ruleFor } from '../config/match-model.ts'
import { sendJson } from '../base/send.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import type { RouteContext } from './answer-route.ts'
import { modelNotFound } from './refusals.ts'
import { modelNamedIn } from './route-table.ts'

/** Some names that the built-in simulator answers to, as examples for people who try it. */
const simulated = [
  'kimi-k2',
  'kimi-k3',
  'qwen3-coder',
  'qwen3',
  'hermes-4',
  'deepseek-v3',
  'deepseek-v4',
  'standard',
]

/** `GET /v1/models` and `GET /v1/models/{id}`, in the shape of the client's dialect. */
export async function answerModels(context: RouteContext): Promise<void> {
  const { request, client, config, upstreams } = context
  const { response, dialect } = client
  const { models } = dialects[dialect].http
  const name = modelNamedIn(request.url ?? '')
  if (name === undefined) {
    const names = await modelNames(config, upstreams)
    sendJson(response, 200, models.list(names.map((id) => entryFor(id, config, upstreams))))
  } else if (await isModel(name, config, upstreams)) {
    sendJson(response, 200, models.one(await settledEntry(name, config, upstreams)))
  } else {
    client.refuse(modelNotFound(name))
  }
}

/** Every model that clients can ask for, with all that its upstream tells of it. */
export async function settledModels(config: GatewayConfig, upstreams: Upstreams): Promise<ModelEntry[]> {
  const names = await modelNames(config, upstreams)
  return Promise.all(names.map((id) => settledEntry(id, config, upstreams)))
}

/** With what is known right now: a list may have hundreds of models. */
function entryFor(id: string, config: GatewayConfig, upstreams: Upstreams): ModelEntry {
  const route = matchModel(config, id)
  if (route === undefined || route.upstream === 'simulator') return { id }
  return entryOf(id, route, upstreams.about(route.upstream, route.model).facts)
}

async function settledEntry(id: string, config: GatewayConfig, upstreams: Upstreams): Promise<ModelEntry> {
  const route = matchModel(config, id)
  if (route === undefined || route.upstream === 'simulator') return { id }
  return entryOf(id, route, (await upstreams.settled(route.upstream, route.model)).facts)
}

function entryOf(id: string, route: ModelRoute, facts: ModelFacts): ModelEntry {
  const window = route.window ?? facts.window
  const maxOutput = route.maxTokens ?? facts.maxOutput
  return {
    id,
    ...(window === undefined ? {} : { window }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(facts.images === undefined ? {} : { images: facts.images }),
  }
}

/** Also asks each upstream, so that what it says of its models is known. */
async function modelNames(config: GatewayConfig, upstreams: Upstreams): Promise<string[]> {
  const named = config.models.flatMap(({ match, model }) => {
    // Where every name leads to one model, clients have to be told some name: that of the model.
    if (match === '*') return model === null ? [] : [model]
    return match.includes('*') ? [] : [match]
  })
  const listed = await namesBehindPatterns(config, upstreams)
  if (config.upstreams !== 'simulator') {
    await Promise.all([...config.upstreams.values()].map((upstream) => upstreams.models(upstream)))
  }
  return [...new Set([...named, ...listed])]
}

/**
 * A pattern has no names of its own. Where its upstream lists its models, these are the names that the pattern sends
 * there.
 */
async function namesBehindPatterns(config: GatewayConfig, upstreams: Upstreams): Promise<string[]> {
  if (config.upstreams === 'simulator') return simulated
  const known = config.upstreams
  const lists = config.models
    .filter(({ match }) => match.includes('*'))
    .map(async (rule: ModelRule) => {
      // What only a fallback has would be refused by the upstreams that are asked before it.
      const open = (rule.order?.[0] ?? [rule]).filter(({ model }) => model === null)
      const listing = open.flatMap(({ upstream: name }) => known.get(name) ?? [])
      const listed = await Promise.all(listing.map((upstream) => upstreams.models(upstream)))
      return listed.flat().flatMap(({ id }) => (ruleFor(id, config) === rule ? [id] : []))
    })
  return (await Promise.all(lists)).flat()
}

/** Whether a request for this model would be answered, as far as we can tell: many upstreams list no models. */
async function isModel(name: string, config: GatewayConfig, upstreams: Upstreams): Promise<boolean> {
  const rule = ruleFor(name, config)
  if (rule === undefined) return false
  const isConfigured = rule.model !== null || !rule.match.includes('*')
  const upstream = config.upstreams === 'simulator' ? undefined : config.upstreams.get(rule.upstream)
  if (isConfigured || upstream === undefined) return true
  const listed = await upstreams.models(upstream)
  return (
    listed.length === 0 ||
    listed.some(({ id }) => isSameModel(upstreams.about(upstream, name).server, id, name))
  )
}
