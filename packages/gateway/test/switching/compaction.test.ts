import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, clientDialects, inTurn } from '../server/ask.ts'
import { bothTools, Client, type Message } from './client.ts'
import { items, kimiIds, saidIn, toolIdsIn } from './conversation-view.ts'
import { startLab, type Lab } from './lab.ts'

const targets = ['kimi-k2-thinking', 'mistral-large+structured', 'claude-x', 'gpt-4o', 'qwen3-coder']

describe.each(clientDialects)('a client of %s that cut its history at the front', (dialect) => {
  let lab: Lab
  let whole: readonly Message[]

  beforeAll(async () => {
    lab = await startLab({ rounds: 2, parallel: 2 })
    const client = new Client(lab.gateway.address, dialect, true)
    await client.run(bothTools, 'kimi-k2-thinking')
    await client.run(bothTools, 'claude-x')
    whole = client.messages
  })
  afterAll(() => lab.close())

  it.each(targets)('goes on with %s wherever it was cut', async (model) => {
    const cuts = Array.from({ length: whole.length }, (_, cut) => cut)
    await inTurn(cuts, async (cut) => {
      const client = new Client(lab.gateway.address, dialect, cut % 2 === 0)
      client.messages = whole.slice(cut)
      client.say('And now?')
      await client.send(model).then(async (response) => {
        expect([cut, response.status, response.status === 200 ? '' : await response.text()]).toEqual([
          cut,
          200,
          '',
        ])
        await response.text().catch(() => '')
      })
      const messages = items(at(lab.simulator.requests.at(-1)?.body, 'messages'))
      const ids = toolIdsIn(messages)
      expect(ids.results).toEqual(ids.calls.map(({ id }) => id))
      expect(new Set(ids.results).size).toBe(ids.results.length)
      if (model.startsWith('kimi')) expect(ids.results).toEqual(kimiIds(ids))
      // Results whose calls were cut off are still there, as text.
      const spoken = JSON.stringify(saidIn(messages))
      const lost = saidIn(client.messages).filter(
        (said) => 'text' in said && !spoken.includes(JSON.stringify(said.text).slice(1, -1)),
      )
      expect(lost).toEqual([])
    })
    expect(lab.simulator.historyProblems).toEqual([])
  })

  it('is told in the log what was repaired', async () => {
    const first = whole.findIndex((message) => toolIdsIn([message]).results.length > 0)
    const client = new Client(lab.gateway.address, dialect, false)
    client.messages = whole.slice(first)
    await client.send('kimi-k2')
    const changed = JSON.stringify(lab.gateway.requestLine()?.['changed'])
    expect(changed).toContain('answers no call')
  })
})
