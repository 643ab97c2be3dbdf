import { type Content, getToolIdStrategy } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { historyId, mintWith, takenIds } from '../../src/chat/model/history-id.ts'

function conversation(id: string): Content[] {
  return [
    { speaker: 'ai', blocks: [{ type: 'tool_call', id, name: 'read_file', parameters: {} }] },
    { speaker: 'tool', blocks: [{ type: 'tool_response', callId: id, toolName: 'read_file', result: '' }] },
  ]
}

describe('ids in the canonical history', () => {
  it.each([
    ['call_abc', 'standard'],
    ['toolu_abc', 'anthropic'],
    ['AbC123xyz', 'mistral'],
    ['AbC123xyz', 'standard'],
    ['call_raw_x', 'standard'],
  ] as const)('%s goes back to a %s upstream as it was', (id, format) => {
    const stored = historyId(id)
    expect(stored).toMatch(/^hist_tool_/)
    const contents = conversation(stored)
    const mapper = getToolIdStrategy(format).createMapper(contents)
    const call = contents[0]?.blocks[0]
    expect(call?.type === 'tool_call' && mapper.resolveToolCallId(call)).toBe(id)
  })

  it('an id that is canonical already stays', () => {
    expect(historyId('hist_tool_kimi_x')).toBe('hist_tool_kimi_x')
  })

  it('an upstream cannot give an id out again in another spelling', () => {
    const taken = takenIds(conversation('hist_tool_abc'))
    expect([taken.has('call_abc'), taken.has('toolu_abc'), taken.has('hist_tool_abc')]).toEqual([
      true,
      true,
      true,
    ])
    expect(takenIds(conversation('hist_tool_raw_AbC123xyz')).has('AbC123xyz')).toBe(true)
  })

  it('minted ids name the format that the call was written in', () => {
    expect(historyId(mintWith(() => 'random')('kimi', new Set()))).toBe('hist_tool_kimi_random')
  })
})
