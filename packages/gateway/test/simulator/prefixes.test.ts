import { type Content, dialectIds } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { playing } from './playing.ts'
import { ask, weatherIn } from './speaking.ts'

const answered: Content = { speaker: 'ai', blocks: [{ type: 'text', text: 'It is warm.' }] }

function said(text: string): Content {
  return { speaker: 'human', blocks: [{ type: 'text', text }] }
}

describe.each(dialectIds)('a simulator that counts prefixes, asked in %s', (dialect) => {
  const base = (address: string): string =>
    dialect === 'gemini' ? address.replace(/v1$/, 'v1beta') : address

  it('tells the first turn of a conversation from one that it has seen, and from one that it has not', async () => {
    await playing({ prefixes: true, pace: 0 }, async (address, simulator) => {
      const turn = async (...contents: Content[]): Promise<string | null> => {
        const response = await ask(dialect, base(address), weatherIn('standard', { contents }))
        await response.text()
        return response.headers.get('x-simulation-prefix')
      }
      expect(await turn(said('Hello'))).toMatch(/^first 0\//)
      expect(await turn(said('Hello'), answered, said('And now?'))).toMatch(/^warm 2\//)
      expect(await turn(said('Good day'), answered, said('And now?'))).toMatch(/^cold 1\//)
      expect(simulator.prefixCounts).toEqual({ first: 1, warm: 1, cold: 1 })
      const counts = await fetch(`${address.replace(/\/v1$/, '')}/simulator/prefixes`)
      expect(await counts.json()).toEqual({ first: 1, warm: 1, cold: 1 })
    })
  })
})

describe('a simulator that does not count', () => {
  it('says nothing of prefixes', async () => {
    await playing({ pace: 0 }, async (address, simulator) => {
      const response = await ask('openai-chat', address, weatherIn('standard'))
      await response.text()
      expect(response.headers.get('x-simulation-prefix')).toBeNull()
      expect(simulator.prefixCounts).toEqual({ first: 0, warm: 0, cold: 0 })
    })
  })
})
