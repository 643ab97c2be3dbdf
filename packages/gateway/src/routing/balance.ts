import { createHash } from 'node:crypto'
import type { Balance } from '../config/config.ts'

/** An upstream of a pool, as far as the choice between them depends on it. */
export interface Member {
  readonly name: string
  /** How many requests it is answering. */
  readonly inFlight: number
}

/** What a choice depends on beside the members. */
export interface ChoiceContext {
  /** What all requests of one conversation have in common. Asked for only where it matters. */
  readonly key: () => string
  /** How many choices were made before in this pool. */
  readonly turn: number
}

/** Chooses among the members of a pool that may be asked; undefined where there is none. */
export function choose<Each extends Member>(
  balance: Balance,
  members: readonly Each[],
  { key, turn }: ChoiceContext,
): Each | undefined {
  if (members.length < 2) return members[0]
  switch (balance) {
    case 'affinity':
      return roomiest(rendezvous(members, key()))
    case 'least-busy':
      return leastBusy(rotated(members, turn))
    case 'round-robin':
      return rotated(members, turn)[0]
  }
}

/**
 * The members in the order in which this conversation prefers them. Every process that knows the same names makes the same
 * order, without asking anybody. Where one is missing, only the conversations that preferred it go elsewhere.
 */
export function rendezvous<Each extends Member>(members: readonly Each[], key: string): Each[] {
  return members
    .map((member) => ({ member, weight: weightOf(key, member.name) }))
    .toSorted((a, b) => b.weight - a.weight || (a.member.name < b.member.name ? -1 : 1))
    .map(({ member }) => member)
}

function weightOf(key: string, name: string): number {
  return createHash('sha256').update(`${key}\0${name}`).digest().readUIntBE(0, 6)
}

/** No member gets more than this part of the mean. */
const MOST_OF_MEAN = 1.25
/**
 * A server that answers fewer than this is not busy: it works on them together. Among so few, chance alone brings one server
 * a quarter above the mean again and again, and moving conversations away from it would lose warm caches for nothing.
 */
const NEVER_BUSY = 16

/** The first that has room for one more. */
function roomiest<Each extends Member>(preferred: readonly Each[]): Each | undefined {
  const all = preferred.reduce((sum, { inFlight }) => sum + inFlight, 1)
  const most = Math.max(NEVER_BUSY, Math.ceil((MOST_OF_MEAN * all) / preferred.length))
  return preferred.find(({ inFlight }) => inFlight < most) ?? preferred[0]
}

function leastBusy<Each extends Member>(members: readonly Each[]): Each | undefined {
  return members.toSorted((a, b) => a.inFlight - b.inFlight)[0]
}

/** The same order from another beginning, so that equals take turns. */
function rotated<Each>(members: readonly Each[], turn: number): Each[] {
  const from = turn % members.length
  return [...members.slice(from), ...members.slice(0, from)]
}
