import * as fc from 'fast-check'

/** One thing that goes wrong with the bytes of a body on its way. Places and lengths are shares of the body. */
export type Mutation =
  | { readonly is: 'flip'; readonly at: number; readonly bit: number }
  | { readonly is: 'drop' | 'repeat'; readonly at: number; readonly length: number }
  | { readonly is: 'cut'; readonly at: number }
  | { readonly is: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly is: 'line ends'; readonly end: string }

const share = fc.double({ min: 0, max: 1, noNaN: true })
const short = fc.double({ min: 0, max: 0.1, noNaN: true })

/** What strangers put into streams: control characters, half characters, events of others, marks of an end. */
const foreign = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 6 }),
  fc
    .constantFrom(
      '\n\n',
      'data: [DONE]\n\n',
      'data: {}\n\n',
      'data: null\n\n',
      'data: {"error":"x"}\n\n',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
      '<tool_call>',
      '\u2028',
      '\uFEFF',
    )
    .map((text) => new TextEncoder().encode(text)),
)

export function anyMutations(): fc.Arbitrary<Mutation[]> {
  const one = fc.oneof(
    fc.record({ is: fc.constant('flip' as const), at: share, bit: fc.nat(7) }),
    fc.record({ is: fc.constantFrom('drop' as const, 'repeat' as const), at: share, length: short }),
    fc.record({ is: fc.constant('cut' as const), at: share }),
    fc.record({ is: fc.constant('insert' as const), at: share, bytes: foreign }),
    fc.record({ is: fc.constant('line ends' as const), end: fc.constantFrom('\r\n', '\r') }),
  )
  return fc.array(one, { minLength: 1, maxLength: 3 })
}

export function mutated(body: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  return mutations.reduce(apply, body)
}

function apply(body: Uint8Array, mutation: Mutation): Uint8Array {
  if (mutation.is === 'line ends') {
    return new TextEncoder().encode(new TextDecoder().decode(body).replaceAll('\n', mutation.end))
  }
  const at = Math.floor(mutation.at * body.length)
  switch (mutation.is) {
    case 'flip': {
      const copy = Uint8Array.from(body)
      copy[at] = (copy[at] ?? 0) ^ (1 << mutation.bit)
      return copy.subarray(0, body.length)
    }
    case 'cut':
      return body.subarray(0, at)
    case 'insert':
      return Buffer.concat([body.subarray(0, at), mutation.bytes, body.subarray(at)])
    case 'drop':
    case 'repeat': {
      const end = at + Math.ceil(mutation.length * body.length)
      const kept = mutation.is === 'drop' ? at : end
      return Buffer.concat([body.subarray(0, kept), body.subarray(mutation.is === 'drop' ? end : at)])
    }
  }
}
