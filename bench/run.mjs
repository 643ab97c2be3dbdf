import { cpus } from 'node:os'
import { callMemory } from './call-memory.mjs'
import { callThroughput } from './call-throughput.mjs'
import { creation } from './creation.mjs'
import { detection } from './detection.mjs'
import { gateway } from './gateway.mjs'
import { growth } from './growth.mjs'
import { inspector } from './inspector.mjs'
import { memory } from './memory.mjs'
import { otherParsers } from './other-parsers.mjs'
import { streams } from './streams.mjs'
import { textThroughput } from './text-throughput.mjs'

const questions = {
  textThroughput,
  callThroughput,
  creation,
  detection,
  growth,
  memory,
  callMemory,
  gateway,
  streams,
  inspector,
  otherParsers,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(questions, name))
if (unknown.length > 0) {
  console.error(`No such benchmark: ${unknown.join(', ')}. There are: ${Object.keys(questions).join(', ')}.`)
  process.exit(2)
}

console.log(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}`)
for (const [name, ask] of Object.entries(questions)) {
  if (asked.length === 0 || asked.includes(name)) await ask()
}
