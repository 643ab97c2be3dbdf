import { describe, expect, it } from 'vitest'
import type { EndedSpan } from '../../../src/observe/traces/span.ts'
import { contextHeaders, contextIn } from '../../../src/observe/traces/trace-context.ts'
import { Tracer } from '../../../src/observe/traces/tracer.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

describe('the place in a trace', () => {
  it('is read from the headers, and written again', () => {
    const headers = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'a=1,b=2' }
    const context = contextIn(headers)
    expect(context).toEqual({ traceId, spanId, isSampled: true, state: 'a=1,b=2' })
    expect(context === null ? null : contextHeaders(context)).toEqual(headers)
  })

  it('is read from a later version, of which we know the beginning', () => {
    expect(contextIn({ traceparent: `01-${traceId}-${spanId}-00-more` })).toMatchObject({ isSampled: false })
  })

  it.each([
    ['', 'empty'],
    [`00-${traceId}-${spanId}`, 'too short'],
    [`00-${traceId}-${spanId}-01-more`, 'too long for its version'],
    [`ff-${traceId}-${spanId}-01`, 'of a version that cannot be'],
    [`00-${'0'.repeat(32)}-${spanId}-01`, 'without a trace'],
    [`00-${traceId}-${'0'.repeat(16)}-01`, 'without a span'],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, 'in capitals'],
  ])('is none in %j, which is %s', (traceparent) => {
    expect(contextIn({ traceparent })).toBeNull()
  })

  it('goes on without a state that is too long or holds what no header may hold', () => {
    const traceparent = `00-${traceId}-${spanId}-01`
    expect(contextIn({ traceparent, tracestate: 'a'.repeat(513) })).toMatchObject({ state: '' })
    expect(contextIn({ traceparent, tracestate: 'a=\u00e9' })).toMatchObject({ state: '' })
  })
})

describe('a share of the traces', () => {
  it('is about that share, and the same in every process', () => {
    const first = kept()
    expect(first.size).toBeGreaterThan(450)
    expect(first.size).toBeLessThan(550)
    expect(kept()).toEqual(first)
  })
})

/** The traces that a process keeps, of two thousand. */
function kept(): Set<string> {
  const ended: EndedSpan[] = []
  const tracer = new Tracer({ root: 0.25, parent: 'ignored' }, (span) => ended.push(span))
  for (let count = 0; count < 2000; count++) {
    // A step that is prime to the range visits it evenly.
    const tail = ((BigInt(count) * 0x9e3779b97f4a7c15n) % 2n ** 64n).toString(16).padStart(16, '0')
    tracer.request('chat', { traceparent: `00-0000000000000001${tail}-${spanId}-00` }).end()
  }
  return new Set(ended.map(({ context }) => context.traceId))
}
