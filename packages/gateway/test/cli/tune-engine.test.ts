import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const tuneEngine = new URL('../../dist/runtime/tune-engine.js', import.meta.url).href
const cwd = fileURLToPath(new URL('.', import.meta.url))

// Node reports a flag that the engine does not know, and goes on.
it('the engine knows every flag that it is given', async () => {
  const script = `
    import { tuneEngine } from ${JSON.stringify(tuneEngine)}
    const onRequest = tuneEngine()
    for (let request = 0; request < 10_000; request++) onRequest()`
  const { stderr } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd })
  expect(stderr).toBe('')
})
