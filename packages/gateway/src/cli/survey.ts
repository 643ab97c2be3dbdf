import { type ModelFacts, textCallsOf } from '@dragoman/core'
import type { GatewayConfig, ModelRule, Upstream } from '../config/config.ts'
import { exampleName } from '../config/match-model.ts'
import type { Obstacle } from '../doctor/obstacle.ts'
import type { Io } from '../terminal/io.ts'
import type { Known } from '../upstream/known-upstream.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { startSimulator } from './built-in-simulator.ts'

/** What the upstreams of a configuration say of themselves, as far as they answered in time. */
export interface Survey {
  readonly upstreams: readonly SurveyedUpstream[]
  readonly models: readonly SurveyedModel[]
}

export interface SurveyedUpstream {
  readonly name: string
  /** The title of the server and its version; null where nothing tells which server it is. */
  readonly server: string | null
  /** Why it does not answer, or what the configuration asks for and this server cannot do; null where all is well. */
  readonly fault: string | null
}

/** A model that clients can ask for. */
export interface SurveyedModel extends ModelFacts {
  /** The name that clients ask for. */
  readonly name: string
  /** The pattern of the rule that lets them. */
  readonly match: string
  readonly upstream: string
}

export type AskedUpstreams = Pick<Upstreams, 'settled' | 'models'>

/** Asks every upstream, but waits for none of them longer than this many milliseconds. */
export async function survey(
  config: GatewayConfig,
  asked: AskedUpstreams,
  longest: number,
  { now }: Pick<Io, 'now'>,
): Promise<Survey> {
  const { upstreams, models } = config
  if (upstreams === 'simulator') return { upstreams: [], models: [] }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), longest)
  const inTime = <Value>(answer: Promise<Value>, otherwise: Value): Promise<Value> =>
    Promise.race([
      answer,
      new Promise<Value>((resolve) => late.signal.addEventListener('abort', () => resolve(otherwise))),
    ])
  const [servers, known] = await Promise.all([
    Promise.all(
      [...upstreams.values()].map((each) => {
        const why = async (): Promise<Obstacle | null> => {
          // Nobody waits for the answer any more, and an open question would keep the program from its end.
          if (late.signal.aborted) return null
          const { findObstacle } = await import('../doctor/obstacle.ts')
          return findObstacle(each, config, { now, startSimulator }, longest)
        }
        return inTime(surveyed(each, asked, why), unknown(each, longest))
      }),
    ),
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

async function surveyed(
  upstream: Upstream,
  asked: AskedUpstreams,
  why: () => Promise<Obstacle | null>,
): Promise<SurveyedUpstream> {
  const known = await asked.settled(upstream, '')
  // An upstream that lists models needs no second question. One that is not to be asked gets none.
  const isAsked = upstream.kind !== 'other' && (await asked.models(upstream)).length === 0
  const obstacle = isAsked ? await why() : null
  const fault = obstacle === null ? faultOf(upstream, known) : `${obstacle.seen}. ${obstacle.advice}`
  return { name: upstream.name, server: titleOf(known), fault }
}

function unknown({ name, url, kind }: Upstream, longest: number): SurveyedUpstream {
  return {
    name,
    server: null,
    fault: kind === 'other' ? null : `no answer yet at ${url}, after ${longest} ms`,
  }
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
    match: rule.match,
    upstream: upstream.name,
  }
}
