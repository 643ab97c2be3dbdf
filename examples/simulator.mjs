// Starts the built-in simulator as a program of its own: a model without a model, which writes its tool calls as
// text. An example that is given a base URL on its command line talks to that server instead.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../packages/gateway/bin/dragoman.js', import.meta.url))
const [givenURL] = process.argv.slice(2)

/** The base address of a server that speaks OpenAI's chat dialect. */
export async function startChatServer() {
  return givenURL ?? start(['simulate', '--port', '0', '--pace', '0'])
}

/** The same for Anthropic's dialect: a gateway that is told to read nothing, so that calls stay text. */
export async function startMessagesServer() {
  if (givenURL !== undefined) return givenURL
  const upstream = await startChatServer()
  return start(['serve', '--port', '0', '--upstream', upstream, '--format', 'standard'])
}

/** A gateway that reads the calls, for SDKs that have no place for an adapter. Every dialect is spoken there. */
export async function startGateway() {
  if (givenURL !== undefined) return givenURL
  return start(['serve', '--port', '0', '--upstream', await startChatServer()])
}

/** It ends with this program, and this program does not wait for it. */
async function start(args) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  process.once('exit', () => child.kill())
  for await (const line of createInterface({ input: child.stdout })) {
    const address = / listening on (\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    child.unref()
    child.stdout.unref()
    return address
  }
  throw new Error(`dragoman ${args.join(' ')} did not start`)
}

// Without this, one of these signals would end this program and leave the other one running.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
