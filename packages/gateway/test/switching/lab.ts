import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { startGateway, stopGateways, type RunningGateway } from '../server/running-gateway.ts'

/** A gateway in front of simulated models of every family; a history that a model would not take is a 400. */
export interface Lab {
  readonly gateway: RunningGateway
  readonly simulator: Simulator
  close(): Promise<void>
}

const promptModels = [
  ['hermes', 'hermes-4+no-tools'],
  ['xml', 'xml+no-tools'],
  ['llama', 'llama-3.3-70b+no-tools'],
].map(([format, model]) => ({ match: `${format}-prompt`, upstream: 'lab', model, format, tools: 'prompt' }))

export async function startLab(
  simulated: SimulatorSettings = {},
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Lab> {
  const simulator = createSimulator({ strict: true, ...simulated })
  const url = await simulator.listen()
  const gateway = await startGateway({
    upstream: url,
    settings: {
      upstreams: { lab: { url }, claude: { url, dialect: 'anthropic-messages' } },
      models: [{ match: 'claude-*', upstream: 'claude' }, ...promptModels, { match: '*', upstream: 'lab' }],
      ...settings,
    },
  })
  return {
    gateway,
    simulator,
    close: async () => {
      await stopGateways()
      await simulator.close()
    },
  }
}
