import { type ModelFacts, textCallsOf } from '@dragoman/core'
import type { GatewayConfig, ModelRule, Upstream } from '../config/config.ts'
import { exampleName } from '../config/match-model.ts'
import type { Known } from '../upstream/known-upstream.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

/** What the upstreams of a configuration say of themselves, as far as they answered in time. */
export interface Survey {
  readonly upstreams: readonly SurveyedUpstream[]
  readonly models: readonly SurveyedModel[]
}

export interface SurveyedUpstream {
  readonly name: string
  /** The title of the server and its version; null where nothing tells which server it is. */
  readonly server: string | null
  /** What the configuration asks for and this server cannot do; null where there is nothing. */
  readonly fault: string | null
}

/** A model that clients can ask for. */
export interface SurveyedModel extends ModelFacts {
  /** The name that clients ask for. */
  readonly name: string
  readonly upstream: string
}

export type AskedUpstreams = Pick<Upstreams, 'settled' | 'models'>

/** Asks every upstream, but waits for none of them longer than this many milliseconds. */
export async function survey(
  { upstreams, models }: GatewayConfig,
  asked: AskedUpstreams,
  longest: number,
): Promise<Survey> {
  if (upstreams === 'simulator') return { upstreams: [], models: [] }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), longest)
  const inTime = <Value>(answer: Promise<Value>, otherwise: Value): Promise<Value> =>
    Promise.race([
      answer,
      new Promise<Value>((resolve) => late.signal.addEventListener('abort', () => resolve(otherwise))),
    ])
  const [servers, known] = await Promise.all([
    Promise.all([...upstreams.values()].map((each) => inTime(surveyed(each, asked), unknown(each)))),
    Promise.all(
      models.flatMap((rule) => {
        const upstream = upstreams.get(rule.upstream)
        return upstream === undefined ? [] : [inTime(modelOf(rule, upstream, asked), null)]
      }),
    ),
  ])
  clearTimeout(timer)
  return { upstreams: servers, models: known.filter((each) => each !== null) }
}

async function surveyed(upstream: Upstream, asked: AskedUpstreams): Promise<SurveyedUpstream> {
  const known = await asked.settled(upstream, '')
  return { name: upstream.name, server: titleOf(known), fault: faultOf(upstream, known) }
}

function unknown({ name }: Upstream): SurveyedUpstream {
  return { name, server: null, fault: null }
}

function titleOf({ server, version }: Pick<Known, 'server' | 'version'>): string | null {
  if (server === undefined) return null
  return version === undefined ? server.title : `${server.title} ${version}`
}

function faultOf({ parse }: Upstream, { server, version }: Known): string | null {
  if (parse !== 'ours' || textCallsOf(server, version) !== undefined) return null
  const who = titleOf({ server, version }) ?? 'A server that is not known'
  return `${who} cannot be kept from reading calls itself: parse: ours changes nothing`
}

/** The model of a rule. A rule for any name means the first that its upstream lists. */
async function modelOf(
  rule: ModelRule,
  upstream: Upstream,
  asked: AskedUpstreams,
): Promise<SurveyedModel | null> {
  const listed = upstream.kind === 'other' ? [] : await asked.models(upstream)
  const name = exampleName(rule) ?? listed[0]?.id
  if (name === undefined) return null
  const { facts } = await asked.settled(upstream, rule.model ?? name)
  return {
    ...facts,
    ...(rule.window === null ? {} : { window: rule.window }),
    ...(rule.maxTokens === null ? {} : { maxOutput: rule.maxTokens }),
    name,
    upstream: upstream.name,
  }
}
