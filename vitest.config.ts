import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts'],
    setupFiles: ['vitest.setup.ts'],
    testTimeout: 120_000,
    // Left to itself, vitest keeps one of two cores free.
    // No test changes what another file imports, so each worker loads the modules once.
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
})
