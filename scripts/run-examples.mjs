// Runs every example against the built-in simulator. Needs a build. Prints one line for each and exits with 1 if
// any of them fails or takes too long.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'examples')
const helpers = new Set(['simulator.mjs', 'weather-tool.mjs'])
const limit = 30_000

const examples = readdirSync(folder).filter((file) => file.endsWith('.mjs') && !helpers.has(file))
const failures = examples.filter((file) => !passes(file))
if (failures.length > 0) {
  console.error(`\n${failures.length} of ${examples.length} examples failed.`)
  process.exitCode = 1
}

function passes(file) {
  const began = performance.now()
  const { status, signal, stdout, stderr, error } = spawnSync(process.execPath, [join(folder, file)], {
    encoding: 'utf8',
    timeout: limit,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const took = `${Math.round(performance.now() - began)} ms`
  // An example whose tool did not run says so with its exit code; that it answered has to be seen as well.
  const isGood = status === 0 && stdout.includes('Paris')
  console.log(`${isGood ? 'ok  ' : 'FAIL'} examples/${file} (${took})`)
  if (isGood) return true
  const cause = error?.message ?? `ended with ${signal ?? status}`
  for (const line of `${cause}\n${stdout}\n${stderr}`.trim().split('\n')) console.log(`     ${line}`)
  return false
}
