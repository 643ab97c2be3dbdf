import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'

vi.setConfig({ testTimeout: 60_000 })

const workspace = fileURLToPath(new URL('../../../..', import.meta.url))

// The shell between npm and the gateway passes no signal on: left behind, the gateway would keep the port.
it.runIf(process.platform !== 'win32')('npm start ends the gateway when npm is told to end', async () => {
  const npm = spawn('npm', ['start', '--silent', '--', '--port', '0'], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const address = await new Promise<string>((resolve, fail) => {
    let text = ''
    npm.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      const found = /listening on (\S+)\n/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
    npm.on('exit', (code) => fail(new Error(`npm ended with ${code}: ${text}`)))
  })
  expect((await fetch(`${address}/health`)).status).toBe(200)
  npm.kill('SIGTERM')
  const isServed = (): Promise<boolean> =>
    fetch(`${address}/health`).then(
      () => true,
      () => false,
    )
  await expect.poll(isServed, { timeout: 5000 }).toBe(false)
})
