// Tests limits and usage with a real Redis server, which has to be installed: on Debian, apt-get install redis-server.
import { spawnSync } from 'node:child_process'

if (spawnSync('redis-server', ['--version']).status !== 0) {
  console.error('There is no redis-server here. On Debian: apt-get install redis-server')
  process.exit(1)
}
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', '--config', 'packages/gateway/redis/vitest.config.ts'],
  {
    cwd: new URL('..', import.meta.url),
    stdio: 'inherit',
  },
)
process.exit(status ?? 1)
