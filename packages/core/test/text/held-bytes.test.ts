import { describe, expect, it } from 'vitest'
import { createParser } from '../../src/parser.ts'

/** A parser, and how many bytes it holds. */
function opened(delivery: 'incremental' | 'complete') {
  const stages: { readonly heldBytes: number }[] = []
  const parser = createParser({
    format: 'kimi',
    tools: [{ name: 'f' }],
    delivery,
    onOpen: (stage) => stages.push(stage),
  })
  return { parser, held: () => stages[0]?.heldBytes }
}

const start = '<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"a":"'

describe('what a parser holds', () => {
  it('is nothing where all text is passed on', () => {
    const { parser, held } = opened('incremental')
    parser.push('Hello there.')
    expect(held()).toBe(0)
  })

  it('is the beginning of what may be a marker, in bytes', () => {
    const { parser, held } = opened('incremental')
    parser.push('é<|tool_calls')
    expect(held()).toBe('<|tool_calls'.length)
  })

  it('is the whole call where calls are held until they are whole, and nothing after that', () => {
    const { parser, held } = opened('complete')
    parser.push(`${start}${'é'.repeat(1000)}`)
    expect(held()).toBe(start.length + 2000)
    parser.push('"}<|tool_call_end|><|tool_calls_section_end|>')
    parser.end()
    expect(held()).toBe(0)
  })
})
