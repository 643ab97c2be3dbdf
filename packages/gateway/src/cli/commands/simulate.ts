import { once } from 'node:events'
import { createSimulator, type Simulator } from '../../simulator/server.ts'
import { findWriting, writableNames } from '../../simulator/find-writing.ts'
import { type QuirkName, quirkNames, quirks } from '../../simulator/quirks.ts'
import { abilities, parsers, type Ability } from '../../simulator/imitation.ts'
import { imitationNames } from '../../simulator/imitations.ts'
import { chunkings, faults, fields, modelWords, type SimulatorSettings } from '../../simulator/settings.ts'
import type { CommandArguments } from '../arguments.ts'
import { usageError } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import { didYouMean } from '../../base/did-you-mean.ts'
import type { Io } from '../../terminal/io.ts'
import { listenFailure } from '../listen-failure.ts'

const usualPort = 12378

export const simulate: Command = {
  name: 'simulate',
  summary: 'Serve a scripted model that writes tool calls in any format.',
  operands: '',
  operandCount: { min: 0, max: 0 },
  description: [
    'A model without a model, on an OpenAI-compatible endpoint: it calls a tool of the request with',
    'arguments made from the schema and from the words of the user, answers when the result is there,',
    'and says what is wrong with the history it is sent. Every answer is labelled [simulated].',
    '',
    'The name of the model in a request chooses the format; any name is answered. Words after a plus',
    'sign change that request alone, as in kimi-k2+reasoning+char+cut:',
    '',
    ...wordTable(),
    '',
    'With --server it behaves like a real server that runs such a model:',
    '',
    ...serverTable(),
  ],
  options: {
    port: { type: 'string', short: 'p', value: 'N', help: `The port; 0 picks one. Default: ${usualPort}.` },
    format: {
      type: 'string',
      short: 'f',
      value: 'F',
      help: 'Write in this format, whatever the name of the model.',
    },
    field: { type: 'string', oneOf: fields, help: 'Where the calls are written. Default: content.' },
    chunk: { type: 'string', oneOf: chunkings, help: 'How the stream is cut. Default: token.' },
    pace: { type: 'string', value: 'MS', help: 'Milliseconds between two chunks. Default: 20.' },
    seed: { type: 'string', value: 'N', help: 'The same seed gives the same answers. Default: 0.' },
    parallel: { type: 'string', value: 'N', help: 'Tools called at once. Default: 1.' },
    rounds: { type: 'string', value: 'N', help: 'Rounds of calls before the answer. Default: as asked.' },
    strict: { type: 'boolean', help: 'Answer a wrong history with HTTP 400.' },
    prefixes: {
      type: 'boolean',
      help: 'Count at /simulator/prefixes how many requests meet a warm cache.',
    },
    quirk: {
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: 'Misbehave as some servers do; each name is a word above.',
    },
    server: { type: 'string', value: 'NAME', help: 'Imitate this server, with its paths and errors.' },
    window: { type: 'string', value: 'N', help: 'Its window in tokens. Default: 131072.' },
    abilities: { type: 'string', value: 'A,B', help: `Of its model: ${abilities.join(', ')}. Default: all.` },
    parser: { type: 'string', oneOf: parsers, help: 'How it reads calls. Default: structured.' },
    loading: { type: 'string', value: 'N', help: 'Its first N requests meet HTTP 503. Default: 0.' },
  },
  examples: [
    { command: 'simulate', does: `Serve every format on port ${usualPort}.` },
    {
      command: 'simulate --format kimi --field reasoning_content --chunk char --pace 50',
      does: 'Kimi calls inside the reasoning, one character at a time.',
    },
    {
      command: 'simulate --server vllm-0.21 --window 8192',
      does: 'As vLLM 0.21 with a window of 8192 tokens.',
    },
    { command: 'simulate --port 0 --strict', does: 'For tests: any free port, and no mercy.' },
  ],
  async run(given, io) {
    const simulator = createSimulator(readSettings(given))
    // A program that reads the address may send a signal at once. Without a listener the signal would end the
    // simulator as a failure.
    const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    const address = await listen(simulator, readNumber(given, 'port') ?? usualPort)
    await io.stdout.line(`dragoman simulator listening on ${address}`)
    await io.stderr.write(hints(address, io))
    await ended
    await simulator.close()
    return 0
  },
}

function wordTable(): string[] {
  const words = [...modelWords.keys()].filter((word) => !isExplained(word))
  return [
    `${words.slice(0, 8).join(', ')},`,
    `${words.slice(8).join(', ')};`,
    ...Object.entries(faults).map(([fault, means]) => `${fault.padEnd(10)} ${means}`),
    'and the quirks of servers:',
    ...quirkNames.map((name) => `${name.padEnd(18)} ${quirks[name].means}`),
  ]
}

/** Faults and quirks have lines of their own. */
function isExplained(word: string): boolean {
  return Object.hasOwn(faults, word) || Object.hasOwn(quirks, word)
}

function serverTable(): string[] {
  const rows = Array.from({ length: Math.ceil(imitationNames.length / 6) }, (_, row) =>
    imitationNames.slice(row * 6, row * 6 + 6).join(', '),
  )
  return rows.map((row, index) => (index === rows.length - 1 ? row : `${row},`))
}

function readSettings(given: CommandArguments): SimulatorSettings {
  const format = given.text('format')
  if (format !== undefined && findWriting(format) === undefined) throw unknownFormat(format)
  const field = fields.find((each) => each === given.text('field'))
  const chunk = chunkings.find((each) => each === given.text('chunk'))
  const seed = readNumber(given, 'seed')
  const parallel = readNumber(given, 'parallel')
  const rounds = readNumber(given, 'rounds')
  return {
    ...readServer(given),
    pace: readNumber(given, 'pace') ?? 20,
    strict: given.flag('strict'),
    prefixes: given.flag('prefixes'),
    quirks: given.texts('quirk').map(quirkNamed),
    ...(format !== undefined && { format }),
    ...(field !== undefined && { field }),
    ...(chunk !== undefined && { chunk }),
    ...(seed !== undefined && { seed }),
    ...(parallel !== undefined && { parallel }),
    ...(rounds !== undefined && { rounds }),
  }
}

function quirkNamed(name: string): QuirkName {
  const quirk = quirkNames.find((each) => each === name)
  if (quirk !== undefined) return quirk
  const meant = didYouMean(name, quirkNames)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw usageError(`the simulator has no quirk "${name}".${question}`, `It has: ${quirkNames.join(', ')}`)
}

function readServer(given: CommandArguments): SimulatorSettings {
  const server = given.text('server')
  const window = readNumber(given, 'window')
  const loading = readNumber(given, 'loading')
  const parser = parsers.find((each) => each === given.text('parser'))
  const named = given.text('abilities')?.split(',')
  if (server === undefined) {
    const homeless = ['window', 'abilities', 'parser', 'loading'].find(
      (option) => given.text(option) !== undefined,
    )
    if (homeless !== undefined)
      throw usageError(`--${homeless} needs --server`, 'See dragoman simulate --help')
    return {}
  }
  if (!imitationNames.includes(server)) throw unknownServer(server)
  return {
    server,
    ...(window !== undefined && { window }),
    ...(loading !== undefined && { loading }),
    ...(parser !== undefined && { parser }),
    ...(named !== undefined && { abilities: readAbilities(named) }),
  }
}

function readAbilities(named: readonly string[]): Ability[] {
  const words = named.filter((word) => word !== '')
  const unknown = words.find((word) => !abilities.some((ability) => ability === word))
  if (unknown === undefined) return abilities.filter((ability) => words.includes(ability))
  throw usageError(`there is no ability "${unknown}"`, `There are: ${abilities.join(', ')}`)
}

function unknownServer(name: string): Error {
  const meant = didYouMean(name, imitationNames)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  return usageError(
    `the simulator cannot imitate "${name}".${question}`,
    `It can: ${imitationNames.join(', ')}`,
  )
}

function readNumber(given: CommandArguments, option: string): number | undefined {
  const text = given.text(option)
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw usageError(`--${option} needs a whole number, not "${text}"`, 'See dragoman simulate --help')
}

function unknownFormat(name: string): Error {
  const known = writableNames()
  const meant = didYouMean(name, known)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  return usageError(`the simulator cannot write "${name}".${question}`, `It can: ${known.join(', ')}`)
}

async function listen(simulator: Simulator, port: number): Promise<string> {
  if (port > 65_535) throw usageError(`--port must be at most 65535, not ${port}`)
  try {
    return await simulator.listen(port)
  } catch (error) {
    throw await listenFailure(error, { host: '127.0.0.1', port })
  }
}

function hints(address: string, { stderr }: Io): string {
  const tool =
    '{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}'
  const body = `{"model":"kimi-k2","stream":true,"tools":[${tool}],"messages":[{"role":"user","content":"What is the weather in Paris?"}]}`
  return [
    stderr.style('dim', 'A simulation: no model runs here. Ctrl-C ends it. Try:'),
    `curl -N ${address}/chat/completions -H 'content-type: application/json' -d '${body}'`,
    '',
  ].join('\n')
}
