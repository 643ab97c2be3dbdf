import { afterEach, describe, expect, it } from 'vitest'
import { at, clientDialects, paths, post, readAnswer, type ClientDialect } from '../server/ask.ts'
import { until } from '../server/scripted-upstream.ts'
import { items } from './conversation-view.ts'
import { startLab, type Lab } from './lab.ts'

const openLabs: Lab[] = []

async function lab(strictHistory: boolean): Promise<Lab> {
  const started = await startLab({}, { strictHistory })
  openLabs.push(started)
  return started
}

afterEach(async () => {
  await Promise.all(openLabs.splice(0).map((each) => each.close()))
})

/** A result for a call that nobody made, between what the user says. */
function orphaned(dialect: ClientDialect, id: string): object {
  const stray =
    dialect === 'openai'
      ? { role: 'tool', tool_call_id: id, content: 'a stray reading' }
      : { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'a stray reading' }] }
  return {
    model: 'kimi-k2',
    ...(dialect === 'anthropic' ? { max_tokens: 100 } : {}),
    messages: [{ role: 'user', content: 'Hello.' }, { role: 'assistant', content: 'Hello.' }, stray],
  }
}

describe.each(clientDialects)(
  'a tool result for a call that does not exist, from a client of %s',
  (dialect) => {
    it('is a 400 that names the id under strictHistory, and nothing is sent upstream', async () => {
      const { gateway, simulator } = await lab(true)
      const answer = await readAnswer(
        await post(gateway.address, paths[dialect], orphaned(dialect, 'call_nowhere')),
      )
      expect(answer.status).toBe(400)
      expect(answer.error?.type).toBe('invalid_request_error')
      expect(answer.error?.message).toContain('call_nowhere')
      expect(simulator.requests).toEqual([])
      await until(() => gateway.requestLine() !== undefined, 500)
      expect(gateway.requestLine()).toMatchObject({ status: 400, model: 'kimi-k2' })
    })

    it('is repaired and recorded otherwise', async () => {
      const { gateway, simulator } = await lab(false)
      const response = await post(gateway.address, paths[dialect], orphaned(dialect, 'call_nowhere'))
      expect(response.status).toBe(200)
      const messages = items(at(simulator.requests.at(-1)?.body, 'messages'))
      expect(messages.map((message) => at(message, 'role'))).toEqual(['user', 'assistant', 'user'])
      expect(JSON.stringify(messages.at(-1))).toContain('a stray reading')
      expect(JSON.stringify(gateway.requestLine()?.['changed'])).toContain('call_nowhere')
      expect(simulator.historyProblems).toEqual([])
    })

    it('is no reason to refuse a history that only repeats its ids', async () => {
      const { gateway } = await lab(true)
      const call = { id: 'call_0', type: 'function', function: { name: 'f', arguments: '{}' } }
      const use = { type: 'tool_use', id: 'call_0', name: 'f', input: {} }
      const round =
        dialect === 'openai'
          ? [
              { role: 'assistant', content: null, tool_calls: [call] },
              { role: 'tool', tool_call_id: 'call_0', content: 'x' },
            ]
          : [
              { role: 'assistant', content: [use] },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: 'x' }] },
            ]
      const messages = [{ role: 'user', content: 'go' }, ...round, ...round, ...round]
      const response = await post(gateway.address, paths[dialect], {
        model: 'kimi-k2',
        max_tokens: 50,
        messages,
      })
      expect(response.status).toBe(200)
    })
  },
)
