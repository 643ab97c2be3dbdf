import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'

/** A gateway in front of a simulator, both on sockets, for clients that nobody wrote for a test. */
export interface Lab {
  readonly address: string
  readonly simulator: Simulator
  close(): Promise<void>
}

export async function startLab(): Promise<Lab> {
  const simulator = createSimulator({ pace: 0 })
  const { address } = await startGateway({ upstream: await simulator.listen() })
  return {
    address,
    simulator,
    close: async () => {
      await stopGateways()
      await simulator.close()
    },
  }
}
