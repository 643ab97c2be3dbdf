import { defineConfig } from 'vitest/config'

/** The fault matrix: `npm run test:faults`. It takes the program, its time-outs and its sockets for itself. */
export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['packages/gateway/faults/**/*.test.ts'],
    globalSetup: ['vitest.temporary-folder.ts'],
    setupFiles: ['vitest.setup.ts'],
    testTimeout: 60_000,
    fileParallelism: false,
  },
})
