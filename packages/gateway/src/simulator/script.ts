import type { FormatId } from '@dragoman/core'
import { InvalidRequest, type ChatRequest } from './chat-request.ts'
import { chooseCalls } from './choose-calls.ts'
import { familyOf, getWriting, writingForModel } from './find-writing.ts'
import { checkHistory, type HistoryProblem } from './history.ts'
import { Phrases } from './phrases.ts'
import { isPrompted, promptedFormat, readPromptedRequest } from './prompted-request.ts'
import { quirksNamed } from './quirks.ts'
import { seededRandom } from './random.ts'
import type { ResponsesManners } from './responses-manners.ts'
import { fillSchema } from './schema-value.ts'
import {
  resolveSettings,
  settingsForModel,
  type Field,
  type ResolvedSettings,
  type SimulatorSettings,
} from './settings.ts'
import { readTurn, type Turn } from './turn.ts'
import type { Writing, WrittenCall } from './writing.ts'

/** What the simulated model says, before it is written in a format. */
export interface ScriptedAnswer {
  readonly request: ChatRequest
  /** The settings, with those that the name of the model adds. */
  readonly settings: ResolvedSettings
  readonly writing: Writing
  /** Empty if the model does not think. */
  readonly thought: string
  readonly text: string
  readonly calls: readonly ScriptedCall[]
  /** The number of the first call. */
  readonly startIndex: number
  readonly historyProblems: readonly HistoryProblem[]
  /** The fields of a chat answer in which thoughts stand, each with the whole thought. */
  readonly thoughtFields?: readonly Field[]
  /** How responses are written, where that is not as usual. */
  readonly responses?: ResponsesManners
}

export interface ScriptedCall extends WrittenCall {
  /** The id, for structured calls. */
  readonly id: string
  /** What is sent of the arguments, where that is not all of them. */
  readonly json?: string
}

/** Marks every text of the simulator. */
const label = '[simulated]'

/** Whose request it is, and by whose rules its history is checked. */
export interface Asking {
  readonly request: ChatRequest
  /** The format whose rules the server applies; null where the model decides. */
  readonly rules: FormatId | null
}

/** Decides what the model answers. Throws `InvalidRequest` where the server refuses the request. */
export function scriptAnswer({ request: received, rules }: Asking, given: SimulatorSettings): ScriptedAnswer {
  const { name, settings: chosen } = settingsFor(received, given)
  const settings = isPrompted(received) ? { ...chosen, toolSupport: false } : chosen
  const usual = writingForModel(name, settings.format)
  const hasNoWords = usual.kind === 'structured' && !settings.toolSupport
  const writing = hasNoWords ? getWriting(promptedFormat(received)) : usual
  const own = familyOf(name, writing)
  const request = settings.toolSupport ? received : readPromptedRequest(received, own)
  const family = settings.toolSupport ? (rules ?? own) : own
  return script(request, { name, settings, writing, family })
}

/** The settings for this request. Throws where a quirk of the server refuses it. */
function settingsFor(request: ChatRequest, given: SimulatorSettings): ReturnType<typeof settingsForModel> {
  const { name, settings } = settingsForModel(request.model, resolveSettings(given))
  const quirks = quirksNamed(settings.quirks)
  for (const { refuses } of quirks) {
    const refusal = refuses?.(request)
    if (refusal !== undefined) throw new InvalidRequest(refusal)
  }
  return { name, settings: Object.assign({}, settings, ...quirks.map((quirk) => quirk.settings?.(request))) }
}

interface Model {
  readonly name: string
  readonly settings: ResolvedSettings
  readonly writing: Writing
  readonly family: FormatId
}

function script(request: ChatRequest, { name, settings, writing, family }: Model): ScriptedAnswer {
  const turn = readTurn(request.messages)
  const thinks = doesThink(name, request, settings)
  const calls = chooseCalls(request, turn, settings)
  const historyProblems = checkHistory(request.messages, { family, thinks })
  const startIndex = settings.repeatIds ? 0 : turn.callCount
  const answer: ScriptedAnswer = {
    request,
    settings,
    writing,
    thought: thinks ? thoughtAbout(calls, turn) : '',
    text: textFor(request, turn, calls, historyProblems, settings),
    calls: calls.map((call, index) => withId(call, family, startIndex + index)),
    startIndex,
    historyProblems,
  }
  return quirksNamed(settings.quirks).reduce((said, quirk) => quirk.answer?.(said) ?? said, answer)
}

function withId({ name, arguments: values }: WrittenCall, family: FormatId, index: number): ScriptedCall {
  const id = idStyles[family]?.(name, index) ?? `call_sim_${index}`
  return { id, name, arguments: values }
}

const idStyles: Partial<Record<FormatId, (name: string, index: number) => string>> = {
  kimi: (name, index) => `functions.${name}:${index}`,
  mistral: (_, index) => `sim${String(index).padStart(6, '0')}`,
  anthropic: (_, index) => `toolu_sim_${index}`,
}

function doesThink(model: string, request: ChatRequest, { thinking, field }: ResolvedSettings): boolean {
  if (thinking !== 'auto') return thinking !== 'none'
  return request.thinking ?? (field !== 'content' || /think|reason|\br1\b/i.test(model))
}

function thoughtAbout(calls: readonly WrittenCall[], { results }: Turn): string {
  if (calls.length > 0) return `A simulated thought: I need ${nameList(calls)} for this.`
  return results.length > 0
    ? 'A simulated thought: the results are here.'
    : 'A simulated thought: I can answer this.'
}

function textFor(
  request: ChatRequest,
  turn: Turn,
  calls: readonly WrittenCall[],
  problems: readonly HistoryProblem[],
  { seed }: ResolvedSettings,
): string {
  if (problems.length > 0) return describeProblems(problems)
  if (calls.length > 0) return `${label} I will call ${nameList(calls)}.`
  if (request.answerSchema !== undefined) {
    const answer = fillSchema(request.answerSchema, new Phrases(turn.userText), seededRandom(seed))
    return JSON.stringify(Object.keys(answer).length === 0 ? { simulated: true } : answer)
  }
  if (turn.results.length > 0) {
    return `${label} ${turn.results.map(({ name, text }) => `${name} answered: ${shortened(text)}`).join('\n')}`
  }
  return turn.userText === '' ? `${label} Hello.` : `${label} You said: ${shortened(turn.userText)}`
}

/** Describes the first few problems, as the others usually follow from them. */
export function describeProblems(problems: readonly HistoryProblem[]): string {
  const told = problems.slice(0, 3).map(({ message }) => `${label} history problem: ${message}`)
  const more = problems.length - told.length
  return [...told, ...(more > 0 ? [`${label} and ${more} more`] : [])].join('\n')
}

function nameList(calls: readonly WrittenCall[]): string {
  return calls.map(({ name }) => name).join(' and ')
}

function shortened(text: string): string {
  const characters = Array.from(text.trim())
  return characters.length > 400 ? `${characters.slice(0, 400).join('')}…` : characters.join('')
}
