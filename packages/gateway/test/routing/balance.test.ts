import { describe, expect, it } from 'vitest'
import { choose, type Member, rendezvous } from '../../src/routing/balance.ts'

const names = ['gpu1', 'gpu2', 'gpu3']
const idle = names.map((name) => ({ name, inFlight: 0 }))
const conversations = Array.from({ length: 3000 }, (_, at) => `conversation ${at}`)

function preferred(members: readonly Member[], key: string): string | undefined {
  return choose('affinity', members, { key: () => key, turn: 0 })?.name
}

function shares(members: readonly Member[]): Map<string, string | undefined> {
  return new Map(conversations.map((key) => [key, preferred(members, key)]))
}

function unneeded(): string {
  throw new Error('nobody needs it')
}

describe('affinity', () => {
  it('gives each server about its share of the conversations', () => {
    const all = [...shares(idle).values()]
    for (const name of names) {
      const share = all.filter((each) => each === name).length / conversations.length
      expect(share).toBeGreaterThan(0.3)
      expect(share).toBeLessThan(0.37)
    }
  })

  it('does not depend on the order in which servers are named', () => {
    expect(shares(idle.toReversed())).toEqual(shares(idle))
  })

  it('moves only the conversations of a server that is gone, and brings only those back', () => {
    const before = shares(idle)
    const without = shares(idle.filter(({ name }) => name !== 'gpu2'))
    const moved = conversations.filter((key) => before.get(key) !== without.get(key))
    expect(moved).toEqual(conversations.filter((key) => before.get(key) === 'gpu2'))
    expect(new Set(moved.map((key) => without.get(key)))).toEqual(new Set(['gpu1', 'gpu3']))
  })

  it('gives no server more than a quarter above the mean, and goes on to the next in its order', () => {
    const members = names.map((name) => ({ name, inFlight: 0 }))
    const order = rendezvous(members, 'hot').map(({ name }) => name)
    const went: string[] = []
    for (let at = 0; at < 60; at++) {
      const found = choose('affinity', members, { key: () => 'hot', turn: 0 })
      if (found !== undefined) found.inFlight++
      went.push(found?.name ?? '')
    }
    const counts = members.map(({ inFlight }) => inFlight)
    expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil(1.25 * 20))
    expect(new Set(went.slice(0, 16))).toEqual(new Set([order[0]]))
    expect(went[16]).toBe(order[1])
  })

  it('does not move a conversation away from a server that has next to nothing to do', () => {
    const [first] = rendezvous(idle, 'a')
    const members = idle.map((each) => ({ ...each, inFlight: each.name === first?.name ? 15 : 0 }))
    expect(preferred(members, 'a')).toBe(first?.name)
  })

  it('asks for the key only where there is a choice', () => {
    expect(choose('affinity', idle.slice(0, 1), { key: unneeded, turn: 0 })?.name).toBe('gpu1')
    expect(choose('affinity', [], { key: unneeded, turn: 0 })).toBeUndefined()
  })
})

describe('the other ways to choose', () => {
  it('round-robin: each in turn', () => {
    const turns = [0, 1, 2, 3].map((turn) => choose('round-robin', idle, { key: () => '', turn })?.name)
    expect(turns).toEqual(['gpu1', 'gpu2', 'gpu3', 'gpu1'])
  })

  it('least-busy: the one with the fewest requests, equals in turn', () => {
    const busy = [2, 0, 1].map((inFlight, at) => ({ name: names[at] ?? '', inFlight }))
    expect(choose('least-busy', busy, { key: () => '', turn: 0 })?.name).toBe('gpu2')
    const equal = [0, 1].map((turn) => choose('least-busy', idle, { key: () => '', turn })?.name)
    expect(equal).toEqual(['gpu1', 'gpu2'])
  })
})
