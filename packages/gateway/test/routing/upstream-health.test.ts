import { describe, expect, it } from 'vitest'
import { UpstreamHealth, type Visit } from '../../src/routing/upstream-health.ts'

const settings = { outAfter: 3, outFor: 1000 }
const failure = { cause: 'status-503', code: 'upstream_503', message: 'busy', isRateLimit: false }

function upstream(): { health: UpstreamHealth; wait: (time: number) => void; fail: (times: number) => void } {
  let time = 0
  const health = new UpstreamHealth('gpu1', () => time)
  return {
    health,
    wait: (more) => (time += more),
    fail: (times) => {
      for (let at = 0; at < times; at++) health.visit(settings).failed(failure, undefined)
    },
  }
}

function visits(health: UpstreamHealth, count: number): Visit[] {
  return Array.from({ length: count }, () => health.visit(settings))
}

describe('an upstream', () => {
  it('is out after so many failures in a row, and not after fewer', () => {
    const { health, fail } = upstream()
    fail(2)
    expect(health.isOpen).toBe(true)
    fail(1)
    expect(health.standing).toEqual({ is: 'out', until: 1000, why: 'failures' })
    expect(health.isOpen).toBe(false)
  })

  it('begins to count anew with every answer', () => {
    const { health, fail } = upstream()
    fail(2)
    health.visit(settings).answered()
    fail(2)
    expect(health.standing).toEqual({ is: 'in', failures: 2 })
  })

  it('is tried by one request when its time is over, and by no other until that one has an answer', () => {
    const { health, fail, wait } = upstream()
    fail(3)
    wait(1000)
    expect(health.isOpen).toBe(true)
    const trial = health.visit(settings)
    expect(health.standing).toEqual({ is: 'on trial' })
    expect(health.isOpen).toBe(false)
    trial.answered()
    expect(health.standing).toEqual({ is: 'in', failures: 0 })
  })

  it('is out again after one failure on trial', () => {
    const { health, fail, wait } = upstream()
    fail(3)
    wait(1500)
    health.visit(settings).failed(failure, undefined)
    expect(health.standing).toEqual({ is: 'out', until: 2500, why: 'failures' })
  })

  it('is tried by the next request where the client of the first one left', () => {
    const { health, fail, wait } = upstream()
    fail(3)
    wait(1000)
    health.visit(settings).over()
    expect(health.isOpen).toBe(true)
    expect(health.standing).toMatchObject({ is: 'out' })
  })

  it('is out until the time that it named, whoever gets an answer in between', () => {
    const { health, wait } = upstream()
    const [refused, answered] = visits(health, 2)
    refused?.failed(failure, 5000)
    answered?.answered()
    expect(health.standing).toEqual({ is: 'out', until: 5000, why: 'told' })
    wait(4999)
    expect(health.isOpen).toBe(false)
    wait(1)
    expect(health.isOpen).toBe(true)
  })

  it('is out at once where it dies with its streams', () => {
    const { health } = upstream()
    const streams = visits(health, 3)
    for (const stream of streams) stream.answered()
    for (const stream of streams) stream.failed(failure, undefined)
    expect(health.standing).toMatchObject({ is: 'out', why: 'failures' })
    expect(health.inFlight).toBe(0)
  })

  it('counts every request once, however often it is told that it is over', () => {
    const { health } = upstream()
    const [first, second] = visits(health, 2)
    expect(health.inFlight).toBe(2)
    first?.failed(failure, undefined)
    first?.over()
    second?.answered()
    expect(health.inFlight).toBe(1)
    second?.over()
    second?.over()
    expect(health.inFlight).toBe(0)
    expect(health.standing).toEqual({ is: 'in', failures: 0 })
  })

  it('remembers its last failure', () => {
    const { health, wait, fail } = upstream()
    expect(health.lastFailure).toBeNull()
    wait(7)
    fail(1)
    expect(health.lastFailure).toEqual({ ...failure, at: 7 })
  })
})
