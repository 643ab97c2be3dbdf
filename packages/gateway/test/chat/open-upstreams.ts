import type { GatewayConfig } from '../../src/config/config.ts'
import { Upstreams } from '../../src/upstream/upstreams.ts'
import { startSimulator } from '../../src/cli/built-in-simulator.ts'

export function openUpstreams({ proxies }: GatewayConfig): Upstreams {
  return new Upstreams({ now: () => performance.now(), proxies, startSimulator })
}
