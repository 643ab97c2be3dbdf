import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts'],
    setupFiles: ['vitest.setup.ts'],
    testTimeout: 120_000,
    // No test changes what another file imports, so each worker loads the modules once.
    isolate: false,
    // One more than there are cores, as some tests wait for clocks and programs more than they work.
    maxWorkers: availableParallelism() + 1,
  },
})
