// Tests the adapters with version 7 of the AI SDK. It asks for a newer Node than the rest of the workspace and would make
// every install warn of that, so it is installed here, in a folder of its own. Needs a build, and npm to install from.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, 'ai-sdk-7')

const steps = [
  { command: 'npm', args: ['ci', '--loglevel=error'], cwd: folder },
  { command: 'npm', args: ['exec', '--', 'tsc', '-p', folder], cwd: root },
  {
    command: 'npm',
    args: ['exec', '--', 'vitest', 'run', '--config', join(folder, 'vitest.config.ts')],
    cwd: root,
  },
  { command: process.execPath, args: [join(folder, 'example.mjs')], cwd: root },
]

const failed = steps.find(({ command, args, cwd }) => {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  return status !== 0
})
if (failed !== undefined) {
  console.error(`FAILED: ${failed.command} ${failed.args.join(' ')}`)
  process.exitCode = 1
}
