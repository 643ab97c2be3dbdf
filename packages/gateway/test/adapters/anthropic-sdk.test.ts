import { createFetch } from '@dragoman/core/fetch'
import { createSimulator } from '../../src/simulator/server.ts'
import type { Lab } from '../clients/lab.ts'
import { runAnthropic } from '../clients/run-anthropic.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { describeAdapter } from './suite.ts'

/** A server of Anthropic's dialect that reads nothing: what the model writes as text stays text. */
async function startServerThatReadsNothing(): Promise<Lab> {
  const simulator = createSimulator({ pace: 0 })
  const { address } = await startGateway({
    upstream: await simulator.listen(),
    settings: { models: [{ match: '*', upstream: 'lab', format: 'standard' }] },
  })
  return {
    address,
    simulator,
    close: async () => {
      await stopGateways()
      await simulator.close()
    },
  }
}

describeAdapter('the Anthropic SDK with createFetch', runAnthropic(createFetch()), {
  start: startServerThatReadsNothing,
  // Those whose ids are anybody's: the server in between leaves Anthropic's as they are.
  models: ['standard', 'qwen3', 'deepseek-v3', 'deepseek-r1'],
})
