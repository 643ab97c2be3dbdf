// Lets released coding agents do a task of two rounds through the gateway, on a simulator that writes calls as text.
// Needs a build, and npm to install from. Everything happens in a temporary folder: each agent gets a home of its own
// there, no key that is worth anything, and no way to the network but this machine.
// `npm run test:clients -- codex` tries one of them alone.
import { tryClaudeCode } from './clients/claude-code.mjs'
import { tryCodex } from './clients/codex.mjs'
import { tryGeminiCli } from './clients/gemini-cli.mjs'
import { cleanUp } from './clients/workshop.mjs'

const models = ['kimi-k2-thinking', 'qwen3-coder', 'deepseek-v3']
const clients = {
  'claude-code': tryClaudeCode,
  codex: () => tryCodex(models),
  'gemini-cli': () => tryGeminiCli(models),
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    cleanUp()
    process.exit(1)
  })
}
try {
  const asked = process.argv.slice(2)
  for (const name of asked.length > 0 ? asked : Object.keys(clients)) {
    if (!Object.hasOwn(clients, name)) throw new Error(`no client is called ${name}`)
    await clients[name]()
    console.log(`\n${name} finished its tasks.\n`)
  }
} catch (error) {
  console.error(`\nFAILED: ${error.message}`)
  process.exitCode = 1
} finally {
  cleanUp()
}
