import { batch, effect, type Signal, signal } from '@preact/signals'
import { latest } from '../reading/ask.ts'
import type { Input, Reading, ReadingSettings } from '../reading/protocol.ts'
import { isRecord, parsed } from './json.ts'
import { packed, unpacked } from './link.ts'

export const usualSettings: ReadingSettings = {
  format: 'auto',
  model: '',
  tools: '',
  channel: 'content',
  prompt: 'unknown',
  delivery: 'incremental',
  calls: 'read',
  end: 'unknown',
}

/** The whole state of the workbench. A link holds the same. */
export interface WorkbenchState {
  readonly input: Input
  /** How much of the text has come; null: all of it, and its end. */
  readonly cut: number | null
}

/** Addresses that are longer are cut by browsers and chats. */
const LONGEST_LINK = 200_000

export interface Workbench {
  readonly state: Signal<WorkbenchState>
  readonly reading: Signal<Reading | null>
  readonly fault: Signal<string | null>
  /** Whether the state is too large for a link. */
  readonly isUnlinked: Signal<boolean>
}

export const emptyInput: Input = { source: '', as: 'auto', settings: usualSettings }

export const workbench: Workbench = {
  state: signal<WorkbenchState>({ input: emptyInput, cut: null }),
  reading: signal<Reading | null>(null),
  fault: signal<string | null>(null),
  isUnlinked: signal(false),
}

/** Reads whenever the state changes, and writes it to the address. */
export function startWorkbench(): () => void {
  const { state, reading, fault, isUnlinked } = workbench
  const read = latest(
    'read',
    (answer) =>
      batch(() => {
        reading.value = answer
        fault.value = null
      }),
    (error) => (fault.value = error.message),
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = effect(() => {
    const now = state.value
    read(now)
    clearTimeout(timer)
    timer = setTimeout(() => {
      void linkTo(now).then((link) => {
        if (state.peek() !== now || !location.hash.startsWith('#/workbench')) return
        isUnlinked.value = link === null
        history.replaceState(null, '', link ?? '#/workbench')
      })
    }, 300)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}

/** The fragment that brings this state back; null where it is too long. */
export async function linkTo(state: WorkbenchState): Promise<string | null> {
  const { source } = state.input
  if (source === '') return '#/workbench'
  if (source.length > 20 * LONGEST_LINK) return null
  const link = `#/workbench/${await packed(state)}`
  return link.length > LONGEST_LINK ? null : link
}

/** Takes the state from a fragment. What is not understood is as usual. */
export async function followLink(hash: string): Promise<void> {
  const letters = /^#\/workbench\/([\w-]+)$/.exec(hash)?.[1]
  const value = letters === undefined ? undefined : await unpacked(letters)
  if (!isRecord(value) || !isRecord(value['input'])) return
  const { source, as, settings } = value['input']
  const cut = value['cut']
  workbench.state.value = {
    input: {
      source: typeof source === 'string' ? source : '',
      as: as === 'text' ? 'text' : 'auto',
      settings: settingsIn(settings),
    },
    cut: typeof cut === 'number' && cut >= 0 ? Math.floor(cut) : null,
  }
}

const choices: { readonly [Key in keyof ReadingSettings]: readonly ReadingSettings[Key][] | 'any' } = {
  format: 'any',
  model: 'any',
  tools: 'any',
  channel: ['content', 'reasoning'],
  prompt: ['unknown', 'opened', 'not-opened'],
  delivery: ['incremental', 'complete'],
  calls: ['read', 'remove'],
  end: ['unknown', 'stop', 'length', 'tool_calls', 'error'],
}

function settingsIn(value: unknown): ReadingSettings {
  const given = isRecord(value) ? value : {}
  const known = Object.entries(choices).filter(([key, allowed]) => {
    const setting = given[key]
    return typeof setting === 'string' && (allowed === 'any' || allowed.some((each) => each === setting))
  })
  return { ...usualSettings, ...Object.fromEntries(known.map(([key]) => [key, given[key]])) }
}

/** The input that a dropped or pasted file is. A recording brings its settings along. */
export function inputOf(source: string, before: ReadingSettings): Input {
  const json =
    source.trimStart().startsWith('{"dragoman') || source.includes('"dragomanRecording"')
      ? parsed(source)
      : undefined
  const upstream = isRecord(json) ? json['upstream'] : undefined
  if (!isRecord(upstream)) return { source, as: 'auto', settings: before }
  const request = parsed(typeof upstream['request'] === 'string' ? upstream['request'] : '')
  return {
    source: typeof upstream['response'] === 'string' ? upstream['response'] : '',
    as: 'auto',
    settings: settingsOf(upstream['reading'], isRecord(request) ? request['tools'] : undefined),
  }
}

/** The settings in which the gateway read an answer. */
export function settingsOf(reading: unknown, tools: unknown): ReadingSettings {
  const given = isRecord(reading) ? reading : {}
  const opens = given['promptOpensReasoning']
  return {
    ...settingsIn(given),
    tools: Array.isArray(tools) ? `[${tools.map((tool) => JSON.stringify(tool)).join(',\n ')}]` : '',
    prompt: opens === true ? 'opened' : opens === false ? 'not-opened' : 'unknown',
  }
}
