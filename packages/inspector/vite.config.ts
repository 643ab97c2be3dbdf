import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const core = fileURLToPath(new URL('../core/src/index.ts', import.meta.url))

/** When a record was last checked, and against what, is for documentation; the page would carry it along for nothing. */
const withoutChecks = (): Plugin => ({
  name: 'without-checks',
  enforce: 'pre',
  transform: {
    filter: { id: /\/formats\/records\/[\w-]+\.ts$/ },
    handler: (code) => ({ code: code.replaceAll(/^ +checked: \{[^{}]*\},\n/gm, ''), map: null }),
  },
})

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
  worker: { format: 'es', plugins: () => [withoutChecks()] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
})
