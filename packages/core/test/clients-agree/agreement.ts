import {
  type Answer,
  callsIn,
  type Client,
  isNoCall,
  isWoven,
  type Received,
  type Written,
} from './answer.ts'
import { readMessage } from './anthropic-messages-client.ts'
import { messageBodies } from './anthropic-messages-upstream.ts'
import { readContent } from './gemini-client.ts'
import { contentBodies } from './gemini-upstream.ts'
import { knownBetweenBodies, type KnownDifference, knownDifferences } from './known-differences.ts'
import { readChat } from './openai-chat-client.ts'
import { chatBodies } from './openai-chat-upstream.ts'
import { readResponse } from './openai-responses-client.ts'
import { responseBodies } from './openai-responses-upstream.ts'
import { clientGets } from './through.ts'
import { IllegalAnswer, must, type View } from './view.ts'

/** What one client sees of one body; `illegal` where it cannot read what it got. */
export interface Sight {
  readonly upstream: Written
  readonly client: Client
  readonly received: string
  readonly status: number
  readonly view: View | null
  readonly illegal: string | null
}

const clients: readonly Client[] = [
  { dialect: 'openai-chat', wants: 'stream' },
  { dialect: 'openai-chat', wants: 'whole' },
  { dialect: 'anthropic-messages', wants: 'stream' },
  { dialect: 'anthropic-messages', wants: 'whole' },
  { dialect: 'openai-responses', wants: 'stream' },
  { dialect: 'openai-responses', wants: 'whole' },
  { dialect: 'gemini', wants: 'stream' },
  { dialect: 'gemini', wants: 'whole' },
]

const readers = {
  'openai-chat': readChat,
  'anthropic-messages': readMessage,
  'openai-responses': readResponse,
  gemini: readContent,
} as const

/** The answer as every upstream can say it, seen by every client. */
export function sightsOf(answer: Answer): Sight[] {
  const bodies = [
    ...chatBodies(answer),
    ...messageBodies(answer),
    ...responseBodies(answer),
    ...contentBodies(answer),
  ]
  return bodies.flatMap((upstream) => clients.map((client) => see(answer, upstream, client)))
}

function see({ habits, reading }: Answer, upstream: Written, client: Client): Sight {
  const body = habits.arrives === 'at once' ? [upstream.body.join('')] : upstream.body
  const sight = { upstream, client, received: '', status: 0 }
  let received: Received
  try {
    received = clientGets({ upstream: { ...upstream, body }, client, reading })
  } catch (error) {
    return { ...sight, view: null, illegal: `nothing comes: ${String(error)}` }
  }
  const read = { ...sight, received: received.body, status: received.status }
  try {
    must(received.status !== 200 || received.is === client.wants, `it came ${received.is}`)
    return { ...read, view: readers[client.dialect](received), illegal: null }
  } catch (error) {
    if (!(error instanceof IllegalAnswer)) throw error
    return { ...read, view: null, illegal: error.message }
  }
}

export interface Disagreement {
  /** The parts of the views that differ; `grammar` where a client cannot read its answer at all. */
  readonly about: readonly string[]
  readonly first: Sight
  /** Another client; or what the first should have seen; null where it cannot read what it got. */
  readonly second: Sight | View | null
}

/** The first two clients that do not see the same, or a client that cannot read what it got. */
export function disagreementOn(answer: Answer): Disagreement | null {
  const sights = sightsOf(answer)
  const illegal = sights.find((sight) => sight.illegal !== null)
  if (illegal !== undefined) return { about: ['grammar'], first: illegal, second: null }
  const forgiving = new Map(sights.map((sight) => [sight, knownFor(answer, sight)]))
  for (const [at, first] of sights.entries()) {
    for (const second of sights.slice(at + 1)) {
      if (!areComparable(answer, first, second)) continue
      const between =
        first.upstream === second.upstream ? [] : knownBetweenBodies.filter((known) => known.applies(answer))
      const known = new Set([...(forgiving.get(first) ?? []), ...(forgiving.get(second) ?? []), ...between])
      const about = differingParts(forgiven(first, known), forgiven(second, known))
      if (about.length > 0) return { about, first, second }
    }
  }
  return null
}

/** The first client that sees something else than this. */
export function misreadingOf(answer: Answer, said: View): Disagreement | null {
  for (const sight of sightsOf(answer)) {
    if (sight.illegal !== null) return { about: ['grammar'], first: sight, second: null }
    const known = new Set(knownFor(answer, sight))
    const about = differingParts(forgiven(sight, known), forgiven({ view: said }, known))
    if (about.length > 0) return { about, first: sight, second: said }
  }
  return null
}

function knownFor(answer: Answer, { upstream, client, view }: Sight): readonly KnownDifference[] {
  return knownDifferences.filter((known) => known.applies(answer, upstream, client, view))
}

/**
 * Clients of one body must agree. Clients of two bodies must agree where both bodies say all of the answer; but how
 * much of a call is held, and so whether it is too large, depends on how the body comes. So does the place of text that
 * stands behind the arguments of one of several mixed calls: only a message stream says where a call ends.
 */
function areComparable(answer: Answer, { upstream }: Sight, { upstream: other }: Sight): boolean {
  if (upstream === other) return true
  const isMixed = isWoven(answer) && callsIn(answer).some(isNoCall)
  return upstream.saysAll && other.saysAll && answer.reading.toolCallBytes === null && !isMixed
}

function forgiven({ view }: Pick<Sight, 'view'>, known: ReadonlySet<Pick<KnownDifference, 'forgive'>>): View {
  if (view === null) throw new Error('a view that is illegal cannot be compared')
  return [...known].reduce((seen, difference) => difference.forgive(seen), view)
}

function differingParts(a: View, b: View): string[] {
  return viewParts.filter((part) => JSON.stringify(a[part]) !== JSON.stringify(b[part]))
}

const viewParts = ['text', 'reasoning', 'calls', 'finish', 'failure'] as const
