import type { ChatOptions } from '../../chat/chat-options.ts'
import type { ConfigFlags } from '../../config/overlays.ts'
import { startSimulator } from '../built-in-simulator.ts'
import type { CommandArguments } from '../arguments.ts'
import { usageError } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import { configOptions } from '../config-options.ts'
import { openInput, readPiped, readText } from '../input.ts'
import type { Io } from '../../terminal/io.ts'
import { readableFormat } from '../shared-options.ts'
import { readConfig } from '../read-config.ts'

const { config, upstream } = configOptions

export const chat: Command = {
  name: 'chat',
  summary: 'Talk to a model in the terminal, with tools, and switch models on the way.',
  operands: '[CONVERSATION]',
  operandCount: { min: 0, max: 1 },
  description: [
    'Talks to what "dragoman serve" would talk to with the same configuration; without any, to the',
    'built-in simulator. The model may read, list and search the files of the working folder. To write',
    'a file or to run a command it needs your permission. /help lists the commands of the chat.',
    '',
    'Over a pipe each line is an input; standard output gets the answers, standard error the rest.',
    'Conversations are stored in the state folder; --resume goes on with the latest of this folder, or',
    'with the CONVERSATION that is named, on any model.',
  ],
  options: {
    prompt: {
      type: 'string',
      short: 'p',
      value: 'PROMPT',
      help: 'Say this and end. What is piped in is added to it; - takes that alone.',
    },
    model: { type: 'string', short: 'm', value: 'NAME', help: 'The model to talk to.' },
    format: { type: 'string', short: 'f', value: 'F', help: 'How the model writes tool calls.' },
    resume: { type: 'boolean', short: 'r', help: 'Go on with a stored conversation.' },
    yes: { type: 'boolean', short: 'y', help: 'Let write_file write without asking.' },
    'yes-run': { type: 'boolean', help: 'Let run_command run without asking.' },
    json: { type: 'boolean', help: 'Print events, one JSON object a line.' },
    config,
    upstream,
    'upstream-key-env': configOptions['upstream-key-env'],
  },
  examples: [
    { command: 'chat', does: 'Talk to the usual model, or to the simulator.' },
    { command: 'chat --model kimi-k2 -p "What is in this folder?"', does: 'Ask once, and print the answer.' },
    { command: 'chat -p "What went wrong?" < build.log', does: 'Ask about a file.' },
    { command: 'chat --resume --model qwen3-coder', does: 'Go on where it ended, with another model.' },
  ],
  async run(given, io) {
    const options = await readOptions(given, io)
    const { loaded } = await readConfig(configFlags(given), io, 'shown')
    const { startChat } = await import('../../chat/start-chat.ts')
    return startChat({ ...options, config: loaded.config, startSimulator }, io)
  },
}

async function readOptions(
  given: CommandArguments,
  io: Io,
): Promise<Omit<ChatOptions, 'config' | 'startSimulator'>> {
  const [name] = given.operands
  if (name !== undefined && !given.flag('resume')) {
    throw usageError(
      `to go on with ${name}, say --resume; to ask something, say --prompt`,
      'See dragoman chat --help',
    )
  }
  const format = given.text('format')
  const text = await readPrompt(given.text('prompt'), io)
  // Most upstreams refuse an empty message, with an error that does not say so.
  if (text?.trim() === '') throw usageError('the prompt is empty', 'See dragoman chat --help')
  return {
    model: given.text('model'),
    toolFormat: format === undefined ? null : readableFormat(format),
    prompt: text,
    isJson: given.flag('json'),
    allowsWrites: given.flag('yes'),
    allowsCommands: given.flag('yes-run'),
    resume: given.flag('resume') ? { name } : undefined,
  }
}

async function readPrompt(prompt: string | undefined, io: Io): Promise<string | undefined> {
  if (prompt === '-') return readText(await openInput('-', io))
  const piped = prompt === undefined ? '' : await readPiped(io)
  return piped.trim() === '' ? prompt : `${prompt}\n\n${piped}`
}

function configFlags(given: CommandArguments): ConfigFlags {
  const names = ['config', 'upstream', 'upstream-key-env'] as const
  return Object.fromEntries(
    names.flatMap((option) => {
      const text = given.text(option)
      return text === undefined ? [] : [[option, text]]
    }),
  )
}
