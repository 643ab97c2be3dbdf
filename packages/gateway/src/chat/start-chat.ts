import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Io } from '../terminal/io.ts'
import { secretsOf } from '../config/secrets-of.ts'
import { createRedactor } from '../security/redact.ts'
import { Upstreams } from '../upstream/upstreams.ts'
import { type Chat, runChat, say } from './chat.ts'
import type { ChatEvent, ChatView } from './chat-event.ts'
import type { ChatOptions } from './chat-options.ts'
import { modelLine } from './commands/model.ts'
import { type Console, openConsole } from './console.ts'
import { Interrupts } from './interrupts.ts'
import { Permission } from './permission.ts'
import { prepareSession, type Setup } from './prepare-session.ts'
import { InputHistory } from './store/input-history.ts'
import { JsonLines } from './view/json-lines.ts'
import { printable } from '../base/printable.ts'
import { Screen } from './view/screen.ts'

/** Runs a chat from its first line to its last. */
export async function startChat(options: ChatOptions, io: Io): Promise<0 | 1> {
  const { config, startSimulator } = options
  const upstreams = new Upstreams({ now: io.now, proxies: config.proxies, startSimulator })
  const interrupts = new Interrupts()
  const state = stateFolder(io.env, homedir(), process.platform)
  const view = openView(options, interrupts, io)
  try {
    const setup = await prepareSession(options, upstreams, view, { cwd: io.cwd(), state })
    const terminal = await openConsole({
      io,
      history: new InputHistory(state),
      interrupts,
      prompt: () => `${io.stdout.style('bold', printable(setup.session.model))} › `,
      isInteractive: !options.isJson,
    })
    try {
      const chat = assemble(setup, options, { upstreams, interrupts, view, terminal, io })
      await greet(chat, terminal.isTerminal && options.prompt === undefined, io)
      const isWell =
        options.prompt === undefined
          ? await runChat(terminal.inputs, chat)
          : await sayOnce(options.prompt, chat)
      return isWell ? 0 : 1
    } finally {
      terminal.close()
      await setup.session.close()
    }
  } finally {
    await upstreams.close()
  }
}

function openView({ isJson }: ChatOptions, interrupts: Interrupts, { stdout, stderr, env }: Io): ChatView {
  const onBroken = (): void => void interrupts.interrupt()
  if (isJson) return new JsonLines(stdout, onBroken)
  return new Screen({ stdout, stderr, canErase: env['TERM'] !== 'dumb', onBroken })
}

interface Surroundings {
  readonly upstreams: Upstreams
  readonly interrupts: Interrupts
  readonly view: ChatView
  readonly terminal: Console
  readonly io: Io
}

function assemble(setup: Setup, options: ChatOptions, around: Surroundings): Chat {
  const { config } = options
  const { upstreams, interrupts, view, terminal, io } = around
  const show = (event: ChatEvent): void => view.show(event)
  const permission = new Permission({
    allowsWrites: options.allowsWrites,
    allowsCommands: options.allowsCommands,
    question: terminal.question,
    tell: (message) => show({ type: 'note', message }),
  })
  return {
    ...setup,
    view,
    interrupts,
    style: (style, text) => io.stdout.style(style, text),
    world: {
      config,
      upstreams,
      choices: setup.choices,
      folder: setup.folder,
      permission,
      env: withoutKeys(io.env, secretsOf(config)),
      show,
      redact: createRedactor(secretsOf(config)),
      newId: () => randomBytes(9).toString('base64url').replaceAll(/[-_]/g, ''),
    },
  }
}

/** The environment of commands. A model that is deceived must not be able to send our keys away. */
export function withoutKeys(env: NodeJS.ProcessEnv, secrets: readonly string[]): NodeJS.ProcessEnv {
  const told = secrets.filter((secret) => secret.length >= 6)
  const entries = Object.entries(env).filter(([name, value]) => {
    if (/^DRAGOMAN_.*KEY|_API_KEY$/i.test(name)) return false
    return !told.some((secret) => value?.includes(secret) === true)
  })
  return Object.fromEntries(entries)
}

async function sayOnce(prompt: string, chat: Chat): Promise<boolean> {
  const end = await say(prompt, chat)
  await chat.view.flush()
  return end === 'answered'
}

/** Says which model answers, with more words for a user who is about to type. */
async function greet({ session, choices, view }: Chat, isAtLength: boolean, { stderr }: Io): Promise<void> {
  const simulation =
    'No upstream is configured: the built-in simulator answers, no model runs.\nTo set one up: npx dragoman init'
  if (isAtLength) {
    const lines = [
      modelLine(session.model, choices, session.toolFormat),
      ...(choices.isSimulated
        ? [simulation, 'The simulator calls the tool that you name; try: list_files']
        : []),
      '/help lists the commands. Ctrl-C stops an answer, Ctrl-D leaves.',
    ]
    view.print(`${lines.join('\n')}\n`)
  } else if (choices.isSimulated) {
    await stderr.line(stderr.style('dim', simulation))
  }
}

/** The folder for what is kept between two runs, after the XDG base directory specification. */
export function stateFolder(env: NodeJS.ProcessEnv, home: string, platform: NodeJS.Platform): string {
  const named = platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_STATE_HOME']
  // The specification says to ignore a path that is not absolute.
  const base = named !== undefined && isAbsolute(named) ? named : join(home, '.local', 'state')
  return join(base, 'dragoman')
}
