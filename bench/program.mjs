import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A file beside this one. */
export function file(path) {
  return fileURLToPath(new URL(path, import.meta.url))
}

/** A program of our own; `line` resolves to what the pattern finds in its output. */
export function start(command) {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece) => (text += piece))
  const line = (pattern) =>
    new Promise((resolve, fail) => {
      const look = () => {
        const found = pattern.exec(text)?.[1]
        if (found === undefined) return
        child.stdout.off('data', look)
        resolve(found)
      }
      child.stdout.on('data', look)
      child.once('exit', (code) => fail(new Error(`it ended with ${code}: ${text}`)))
      look()
    })
  return { pid: child.pid, line, end: () => child.kill('SIGKILL') }
}

/** The gateway that was built, on a port that is free. */
export function startGateway(...given) {
  const gateway = start([file('../packages/gateway/bin/dragoman.js'), 'serve', '--port', '0', ...given])
  return { ...gateway, address: () => gateway.line(/listening on (\S+)/) }
}
