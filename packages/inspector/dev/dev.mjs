// The page with the fixture exchanges, built anew whenever a source changes: npm run dev -w packages/inspector
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { startFixtureServer } from './fixture-server.mjs'

await build({ root: fileURLToPath(new URL('..', import.meta.url)), build: { watch: {} } })
const server = await startFixtureServer({ port: 5187 })
process.stdout.write(`inspector on ${server.url}\n`)
