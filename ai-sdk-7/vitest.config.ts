import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['ai-sdk-7/*.test.ts'], setupFiles: ['vitest.setup.ts'], testTimeout: 120_000 },
})
