import { createSimulator, type Simulator } from '../../src/simulator/server.ts'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'

/** Starts a simulator for one test, and ends it afterwards. */
export async function playing<Result>(
  settings: SimulatorSettings,
  test: (address: string, simulator: Simulator) => Promise<Result>,
): Promise<Result> {
  const simulator = createSimulator(settings)
  const address = await simulator.listen()
  try {
    return await test(address, simulator)
  } finally {
    await simulator.close()
  }
}
