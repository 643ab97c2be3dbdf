import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { ask, type ClientDialect, clientDialects, inTurn } from './ask.ts'
import { shortTimeouts } from './faults.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { until } from './scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
})

describe('the faults of the simulator', () => {
  const simulator = createSimulator()
  let upstream = ''
  beforeAll(async () => {
    upstream = await simulator.listen()
  })
  afterAll(async () => {
    await until(() => simulator.openRequests === 0, 1000)
    await simulator.close()
  })

  const cases: readonly { model: string; type: Record<ClientDialect, string> }[] = [
    { model: 'kimi-k2+cut', type: { anthropic: 'api_error', openai: 'upstream_error' } },
    { model: 'kimi-k2+stall', type: { anthropic: 'timeout_error', openai: 'timeout' } },
    {
      model: 'kimi-k2+error',
      type: { anthropic: 'api_error', openai: expect.stringMatching(/^(?:server|upstream)_error$/) },
    },
    { model: 'kimi-k2+garbage', type: { anthropic: 'api_error', openai: 'upstream_error' } },
    { model: 'standard+cut', type: { anthropic: 'api_error', openai: 'upstream_error' } },
    { model: 'deepseek-v4+char+cut', type: { anthropic: 'api_error', openai: 'upstream_error' } },
  ]
  describe.each(clientDialects)('for a client of %s', (dialect) => {
    it.concurrent.each(cases)('$model ends in an error, not in a success', async ({ model, type }) => {
      const gateway = await startGateway({ upstream, settings: { timeouts: shortTimeouts } })
      await inTurn([true, false], async (stream) => {
        const answer = await ask(gateway.address, dialect, { model, stream })
        expect(answer.error?.type).toEqual(type[dialect])
        expect(answer).toMatchObject({ finish: undefined, isMarkedDone: false })
        expect(answer.status === 200).toBe(stream)
      })
    })

    it.each(['kimi-k2+no-done', 'kimi-k2+no-finish', 'kimi-k2+json'])(
      '%s is a whole answer',
      async (model) => {
        const gateway = await startGateway({ upstream, settings: { timeouts: shortTimeouts } })
        await inTurn([true, false], async (stream) => {
          const answer = await ask(gateway.address, dialect, { model, stream })
          expect(answer).toMatchObject({ status: 200, error: undefined, hasCall: true, isMarkedDone: stream })
          expect(answer.finish).toBe(dialect === 'anthropic' ? 'tool_use' : 'tool_calls')
        })
      },
    )

    it('a call cut by the length limit is never called whole', async () => {
      const gateway = await startGateway({ upstream, settings: { timeouts: shortTimeouts } })
      const answer = await ask(gateway.address, dialect, { model: 'kimi-k2+char+length' })
      expect(answer).toMatchObject({ status: 200, error: undefined, isMarkedDone: true })
      expect(answer.finish).toBe(dialect === 'anthropic' ? 'max_tokens' : 'length')
    })
  })
})
