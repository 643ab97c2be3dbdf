import { createSimulator } from '../simulator/server.ts'
import type { BuiltInServer } from '../upstream/upstreams.ts'

/** Between two chunks, in milliseconds: about as fast as a model writes. */
const PACE_MS = 20

/** Starts the simulator that answers where no upstream is configured. */
export async function startSimulator(): Promise<BuiltInServer> {
  const simulator = createSimulator({ pace: PACE_MS })
  return { url: await simulator.listen(), close: () => simulator.close() }
}
