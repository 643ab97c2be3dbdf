import { defineConfig } from 'vitest/config'

/** Limits and usage in a real Redis: `npm run test:redis`. */
export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['packages/gateway/redis/**/*.test.ts'],
    globalSetup: ['vitest.temporary-folder.ts'],
    setupFiles: ['vitest.setup.ts'],
    testTimeout: 30_000,
    fileParallelism: false,
  },
})
