import { expect, it } from 'vitest'
import { usualSettings } from '../../src/model/workbench.ts'
import { openedBoth, packedBoth } from '../../src/reading/packed.ts'
import type { Input } from '../../src/reading/protocol.ts'
import { readBoth } from '../../src/reading/read.ts'

function inputOf(source: string, end: 'unknown' | 'length'): Input {
  return { source, as: 'auto', settings: { ...usualSettings, format: 'hermes', end } }
}

it('what is packed for its way from the worker is the same when it is opened', async () => {
  const said =
    '<think>hm \ud83d</think>Hi.<tool_call>{"name": "ping", "arguments": {"a": 1,}}</tool_call><|im_end|><tool_call>{"na'
  const got = 'data: {"choices":[{"delta":{"content":"Hi."}}]}\n\n'
  for (const end of ['unknown', 'length'] as const) {
    const both = readBoth(inputOf(said, end), inputOf(got, end), true)
    expect(both.delivered).toHaveLength(1)
    expect(new Set(both.said.trace.spans.map(({ kind }) => kind)).size).toBeGreaterThan(5)
    expect(await openedBoth(packedBoth(both))).toEqual(both)
  }
})
