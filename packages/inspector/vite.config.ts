import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const core = fileURLToPath(new URL('../core/src/index.ts', import.meta.url))

export default defineConfig({
  // Relative, so that the folder works wherever it is put.
  base: './',
  resolve: { alias: { '@dragoman/core': core } },
  build: {
    target: 'es2023',
    outDir: '../gateway/dist/inspector',
    emptyOutDir: true,
    assetsDir: '',
    // An address with data in it would need more than 'self' in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
})
