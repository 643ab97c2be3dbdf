import { describe, expect, it } from 'vitest'
import { Attempts } from '../../src/exchange/attempts.ts'
import { Negotiation } from '../../src/exchange/negotiation.ts'
import { planRequest } from '../../src/exchange/plan.ts'
import { routesOf, ruleFor } from '../../src/config/match-model.ts'
import { type Place, Routing } from '../../src/routing/routing.ts'
import { upstreamFailure } from '../../src/upstream/upstream-failures.ts'
import { accepted } from '../config/fake-world.ts'
import { weatherIn } from '../simulator/speaking.ts'

const nothing = (): void => {}

/** A request at the first of three upstreams, and what becomes of it where `plan` plans for the others. */
async function startedAt(
  plan: (place: Place, usual: (place: Place) => Negotiation) => Negotiation | undefined,
) {
  const url = 'http://127.0.0.1:9/v1'
  const config = await accepted({
    yaml: JSON.stringify({
      upstreams: { a: { url }, b: { url }, c: { url } },
      models: [{ match: '*', upstream: ['a', 'b', 'c'] }],
    }),
  })
  const routing = new Routing(() => 0)
  const rule = ruleFor('m', config)
  if (rule === undefined) throw new Error('no rule')
  const pools = routesOf(rule, 'm', config).map((pool) =>
    pool.flatMap((route) => (route.upstream === 'simulator' ? [] : [{ route, upstream: route.upstream }])),
  )
  const request = weatherIn('m')
  const usual = ({ route, upstream }: Place): Negotiation =>
    new Negotiation({
      request,
      plan: (asked) => planRequest(asked, 'openai-chat', route, upstream, config),
      learn: nothing,
      now: () => 0,
      onPlan: nothing,
      onSecondThought: nothing,
    })
  const itinerary = routing.itinerary(pools, config.routing, () => '')
  const first = itinerary.next()
  if (first === undefined) throw new Error('nowhere to go')
  const attempts = new Attempts({
    itinerary,
    first: { stop: itinerary.enter(first), negotiation: usual(first) },
    plan: (place) => plan(place, usual),
    observer: { attemptAnswered: nothing, attemptFailed: nothing },
    now: () => 0,
    today: () => 0,
  })
  return {
    attempts,
    underWay: () => pools.flat().map(({ upstream }) => routing.healthOf(upstream).inFlight),
  }
}

const gone = { failure: upstreamFailure('upstream_unreachable', 'gone'), fault: 'unreachable' } as const

describe('a request that moves on', () => {
  it('is under way at one upstream at a time', async () => {
    const { attempts, underWay } = await startedAt((place, usual) => usual(place))
    expect(underWay()).toEqual([1, 0, 0])
    expect(attempts.moveOn(gone, undefined)).toEqual({ is: 'moved' })
    expect(underWay()).toEqual([0, 1, 0])
    attempts.over()
    expect(underWay()).toEqual([0, 0, 0])
  })

  it('passes by an upstream that cannot take it', async () => {
    const { attempts, underWay } = await startedAt((place, usual) =>
      place.upstream.name === 'b' ? undefined : usual(place),
    )
    attempts.moveOn(gone, undefined)
    expect(underWay()).toEqual([0, 0, 1])
  })

  it('is nowhere under way after a bug in planning it', async () => {
    const { attempts, underWay } = await startedAt(() => {
      throw new Error('a bug')
    })
    expect(() => attempts.moveOn(gone, undefined)).toThrow('a bug')
    attempts.over()
    expect(underWay()).toEqual([0, 0, 0])
  })
})
