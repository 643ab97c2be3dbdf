import { DragomanError } from '@dragoman/core'
import { getWriting } from './find-writing.ts'
import { type QuirkName, quirkNames } from './quirks.ts'
import type { Ability, Parser } from './imitation.ts'
import { getImitation } from './imitations.ts'

export const fields = ['content', 'reasoning', 'reasoning_content'] as const
export const chunkings = ['token', 'char', 'whole', 'random'] as const

/** Faults that the simulator plays on purpose. */
export const faults = {
  error: 'an error object in the middle of the stream',
  cut: 'the connection ends in the middle',
  stall: 'nothing more comes after the middle, and the connection stays open',
  garbage: 'a line in the middle that is not JSON',
  'no-done': 'the stream ends without [DONE], or message_stop',
  'no-finish': 'no finish_reason, or what says in another dialect that the answer has ended',
  json: 'plain JSON although a stream was asked for',
  length: 'the answer is cut in its middle, with finish_reason length',
  '429': 'HTTP 429',
  '500': 'HTTP 500',
  '503': 'HTTP 503',
} as const

export type Field = (typeof fields)[number]
export type Chunking = (typeof chunkings)[number]
export type Fault = keyof typeof faults

export interface SimulatorSettings {
  /** A format or one of its writings (`kimi`, `kimi-k3`). Without one, the name of the model decides. */
  readonly format?: string
  /** The field in which calls are written as text. */
  readonly field?: Field
  readonly chunk?: Chunking
  /** Milliseconds between two chunks. */
  readonly pace?: number
  readonly seed?: number
  /** How many tools are called at once. */
  readonly parallel?: number
  /** How often tools are called before the answer. Without a number, the user's words decide. */
  readonly rounds?: number
  /**
   * Where thoughts are written. `auto` uses the reasoning field, if the request or the model's name asks for
   * thoughts.
   */
  readonly thinking?: 'auto' | 'none' | 'inline' | 'field'
  /** Answers a wrong history with HTTP status 400. */
  readonly strict?: boolean
  /**
   * Whether the server accepts tools in fields of their own. Otherwise the model knows only the tools in its prompt.
   */
  readonly toolSupport?: boolean
  /** A choice of no tool only keeps the server from reading calls: the model is shown the tools, and calls them. */
  readonly noneMeansText?: boolean
  /** The ids of each answer start at 0 again, as with some servers. */
  readonly repeatIds?: boolean
  /** Sends comments in the event stream, as servers do to keep a connection alive. */
  readonly comments?: boolean
  readonly faults?: readonly Fault[]
  /** How the server around the model misbehaves. */
  readonly quirks?: readonly QuirkName[]
  /** Counts how many requests go on with a conversation that has been here before, as a cache would. */
  readonly prefixes?: boolean
  /** The server that is imitated, such as `vllm-0.21`. Without one the simulator is a server of its own kind. */
  readonly server?: string
  /** How many tokens of prompt and answer the imitated server holds. Four characters are a token. */
  readonly window?: number
  /** What the model can do. By default everything. */
  readonly abilities?: readonly Ability[]
  /** How the imitated server reads the calls of its model. By default it makes them structured. */
  readonly parser?: Parser
  /** The imitated server loads its model during this many requests, and answers them with HTTP 503. */
  readonly loading?: number
}

const ofServers = ['window', 'abilities', 'parser', 'loading'] as const
type Undefaulted = 'format' | 'rounds' | 'server' | (typeof ofServers)[number]
type Defaulted = Required<Omit<SimulatorSettings, Undefaulted>>
export type ResolvedSettings = Defaulted & Pick<SimulatorSettings, Undefaulted>

export function resolveSettings(given: SimulatorSettings): ResolvedSettings {
  // A wrong name has to fail when the simulator is set up, and not at its first request.
  if (given.format !== undefined) getWriting(given.format)
  if (given.server !== undefined) getImitation(given.server)
  const homeless = ofServers.find((setting) => given[setting] !== undefined)
  if (given.server === undefined && homeless !== undefined) {
    throw new DragomanError('invalid-option', `The setting "${homeless}" needs the setting "server".`)
  }
  return { ...defaults, ...given }
}

const defaults: Defaulted = {
  field: 'content',
  chunk: 'token',
  pace: 0,
  seed: 0,
  parallel: 1,
  thinking: 'auto',
  strict: false,
  toolSupport: true,
  noneMeansText: false,
  repeatIds: false,
  comments: false,
  faults: [],
  quirks: [],
  prefixes: false,
}

/**
 * Words after a plus sign in the name of a model change the settings for that one request:
 * `kimi-k2+reasoning+char+cut`. An unknown word stays part of the name.
 */
export function settingsForModel(
  model: string,
  settings: ResolvedSettings,
): { readonly name: string; readonly settings: ResolvedSettings } {
  const [name = '', ...words] = model.split('+')
  const unknown = words.filter((word) => !modelWords.has(word))
  const changes = words.map((word) => modelWords.get(word) ?? {})
  const changed: SimulatorSettings = Object.assign({}, ...changes)
  return {
    name: [name, ...unknown].join('+'),
    settings: {
      ...settings,
      ...changed,
      faults: [...settings.faults, ...changes.flatMap((change) => change.faults ?? [])],
      quirks: [...settings.quirks, ...changes.flatMap((change) => change.quirks ?? [])],
    },
  }
}

/** Every word that a model's name may carry, with the settings that it changes. */
export const modelWords: ReadonlyMap<string, SimulatorSettings> = new Map<string, SimulatorSettings>([
  ...fields.map((field): [string, SimulatorSettings] => [field, { field }]),
  ...chunkings.map((chunk): [string, SimulatorSettings] => [chunk, { chunk }]),
  ['structured', { format: 'standard' }],
  ['think', { thinking: 'field' }],
  ['inline-think', { thinking: 'inline' }],
  ['no-think', { thinking: 'none' }],
  ['parallel', { parallel: 2 }],
  ['strict', { strict: true }],
  ['no-tools', { toolSupport: false }],
  ['repeat-ids', { repeatIds: true }],
  ['comments', { comments: true }],
  ...Object.keys(faults)
    .filter(isFault)
    .map((fault): [string, SimulatorSettings] => [fault, { faults: [fault] }]),
  ...quirkNames.map((quirk): [string, SimulatorSettings] => [quirk, { quirks: [quirk] }]),
])

function isFault(name: string): name is Fault {
  return Object.hasOwn(faults, name)
}
