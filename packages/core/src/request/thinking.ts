import type { FormatId } from '../formats/format-id.ts'
import { type ThinkingFamily, thinkingOf } from '../formats/thinking.ts'
import type { JsonObject } from '../json/objects.ts'
import type { ReasoningRequest } from './conversation-request.ts'
import type { RequestNote } from './notes.ts'
import { effortOfBudget, budgetOfEffort } from './settings.ts'
import type { FieldValues, ThinkingWays } from './thinking-ways.ts'

/** What has to be known of a model to tell it how to think. */
export interface ThinkingModel {
  readonly model: string
  readonly format: FormatId
  readonly thinks?: boolean | undefined
}

/** A wish as this model on this server is told it. */
export interface SaidThinking {
  readonly fields: FieldValues
  /** What became of the wish where it could not be said as it is. */
  readonly note?: Pick<RequestNote, 'kind' | 'reason'>
}

/**
 * Says a wish to a model. Null where server or model are not known: whatever is sent there may be refused, or mean
 * something else.
 */
export function sayThinking(
  wish: ReasoningRequest,
  model: ThinkingModel,
  ways: ThinkingWays | undefined,
): SaidThinking | null {
  if (model.thinks === false) return wish.mode === 'off' ? silence : dropped('The model does not think.')
  const family = ways === undefined ? undefined : familyOf(model, ways)
  if (ways === undefined || family === undefined) return null
  if (wish.mode === 'off') return sayOff(family, ways)
  // Who names an effort alone has not asked for thinking.
  if (wish.mode === 'unsaid' && !thinksUnasked(family, ways)) return silence
  return sayOn(wish, family, ways)
}

/** Whether a model thinks that is told this. */
export function isThinking(
  wish: ReasoningRequest | undefined,
  model: ThinkingModel,
  ways: ThinkingWays | undefined,
): boolean {
  if (model.thinks === false) return false
  const family = familyOf(model, ways)
  if (family === undefined) return wish?.mode === 'on' || wish?.mode === 'adaptive'
  if (family.default === 'always' || family.default === 'never') return family.default === 'always'
  if (wish === undefined || wish.mode === 'unsaid') return thinksUnasked(family, ways)
  if (wish.mode !== 'off') return true
  const isOff = ways !== undefined && Object.keys(sayOff(family, ways).fields).length > 0
  return !isOff && thinksUnasked(family, ways)
}

/** The body in which the fields stand at their paths. */
export function nested(fields: FieldValues): JsonObject {
  const body: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(fields)) {
    const [outer = path, inner] = path.split('.')
    body[outer] = inner === undefined ? value : Object.assign({}, body[outer], { [inner]: value })
  }
  return body
}

/** Some servers need not know the family: it is enough that the model is known to think. */
function familyOf(
  { format, model, thinks }: ThinkingModel,
  ways: ThinkingWays | undefined,
): ThinkingFamily | undefined {
  const isSwitched = ways?.effort?.readBy === 'server' || ways?.on !== undefined
  return thinkingOf(format, model) ?? (thinks === true && isSwitched ? { default: 'on' } : undefined)
}

function thinksUnasked(family: ThinkingFamily, ways: ThinkingWays | undefined): boolean {
  if (family.default === 'always' || family.default === 'never') return family.default === 'always'
  return ways?.unsaid === undefined ? family.default !== 'off' : ways.unsaid === 'on'
}

function sayOff(family: ThinkingFamily, ways: ThinkingWays): SaidThinking {
  if (family.default === 'never') return silence
  if (family.default === 'always') {
    const least = nearestWord('low', family, ways)
    const fields = least === undefined ? {} : effortFields(least, family, ways)
    if (Object.keys(fields).length === 0) return dropped(cannotBeOff)
    return { fields, note: { kind: 'changed', reason: `${cannotBeOff} It is told to think little.` } }
  }
  if (ways.off !== undefined) return { fields: ways.off }
  const fields = { ...templateFields(family.off, ways), ...noEffort(family, ways) }
  const isSaid = Object.keys(fields).length > 0 || !thinksUnasked(family, ways)
  return isSaid ? { fields } : dropped('The upstream cannot turn the thinking of this model off.')
}

const cannotBeOff = 'The thinking of this model cannot be turned off.'

/** Some models have to be told in both ways. */
function noEffort(family: ThinkingFamily, { effort }: ThinkingWays): FieldValues {
  const isKnown = family.efforts?.includes('none') === true && effort?.words.includes('none') === true
  return isKnown ? { [effort.field]: 'none' } : {}
}

function sayOn(wish: ReasoningRequest, family: ThinkingFamily, ways: ThinkingWays): SaidThinking {
  if (family.default === 'never') return dropped('The model does not think.')
  const on = onFields(family, ways)
  const amount = sayAmount(wish, family, ways)
  const isServers = ways.effort?.readBy === 'server' && Object.keys(amount.fields).length > 0
  const fields = { ...(isServers ? {} : on), ...amount.fields }
  if (Object.keys(fields).length === 0 && !thinksUnasked(family, ways)) {
    return dropped('The upstream cannot make this model think.')
  }
  return amount.note === undefined ? { fields } : { fields, note: amount.note }
}

function onFields(family: ThinkingFamily, ways: ThinkingWays): FieldValues {
  if (family.default === 'always') return {}
  if (ways.saysOn === 'where it is off' && thinksUnasked(family, ways)) return {}
  return ways.on ?? templateFields(family.on, ways)
}

/** A budget is said as one where that is possible, else as the effort that it is worth; an effort the same way round. */
function sayAmount(
  { effort, budgetTokens }: ReasoningRequest,
  family: ThinkingFamily,
  ways: ThinkingWays,
): SaidThinking {
  if (budgetTokens !== undefined) {
    const said = sayBudget(budgetTokens, family, ways)
    if (said !== undefined) return said
  }
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens))
  if (wanted === undefined) return needsWord(family, ways) ? sayEffort('medium', family, ways) : silence
  const said = sayEffort(wanted, family, ways)
  if (budgetTokens === undefined || effort !== undefined || said.note !== undefined) return said
  return {
    ...said,
    note: { kind: 'changed', reason: `The upstream takes no budget; the effort is ${wanted}.` },
  }
}

/** Where an effort is the only way to turn a model on, one has to be named. */
function needsWord(family: ThinkingFamily, ways: ThinkingWays): boolean {
  return !thinksUnasked(family, ways) && Object.keys(onFields(family, ways)).length === 0
}

function sayBudget(
  tokens: number,
  family: ThinkingFamily,
  { budget, effort, templateArguments }: ThinkingWays,
): SaidThinking | undefined {
  const knowsEfforts = family.efforts !== undefined && effort?.readBy !== 'server'
  if (family.default === 'always' || knowsEfforts) return undefined
  const { budgetArgument } = family
  if (budgetArgument !== undefined && templateArguments !== undefined) {
    return { fields: { [`${templateArguments}.${budgetArgument}`]: tokens } }
  }
  if (budget === undefined) return undefined
  const taken = Math.min(Math.max(tokens, budget.least ?? 0), budget.most ?? Infinity)
  const fields = { ...budget.beside, [budget.field]: taken }
  if (taken === tokens) return { fields }
  return {
    fields,
    note: { kind: 'changed', reason: `The nearest budget that the upstream takes is ${taken}.` },
  }
}

function sayEffort(wanted: string, family: ThinkingFamily, ways: ThinkingWays): SaidThinking {
  const word = nearestWord(wanted, family, ways)
  if (word !== undefined) {
    const fields = effortFields(word, family, ways)
    return word === wanted
      ? { fields }
      : { fields, note: { kind: 'changed', reason: `The nearest effort that is known there is ${word}.` } }
  }
  if (ways.budget?.forEfforts === true || family.budgetArgument !== undefined) {
    const said = sayBudgetFor(wanted, family, ways)
    if (said !== undefined) return said
  }
  return dropped('How much this model thinks cannot be set there.')
}

/** The highest efforts are as much as the server allows, and no limit at all where it sets none. */
function sayBudgetFor(wanted: string, family: ThinkingFamily, ways: ThinkingWays): SaidThinking | undefined {
  const most = ways.budget?.most
  if (rankOf(wanted) < rankOf('high')) return sayBudget(budgetOfEffort(wanted), family, ways)
  return most === undefined ? silence : sayBudget(most, family, ways)
}

/**
 * The word nearest to an effort that both the model and its server know; of two as near, the higher one, unless the
 * server says which.
 */
function nearestWord(wanted: string, family: ThinkingFamily, ways: ThinkingWays): string | undefined {
  const words = wordsOf(family, ways).filter((word) => word !== 'none')
  const stated = ways.effort?.insteadOf?.[wanted]
  if (stated !== undefined && words.includes(stated)) return stated
  const distance = (word: string) => Math.abs(rankOf(word) - rankOf(wanted))
  return words.toSorted((a, b) => distance(a) - distance(b) || rankOf(b) - rankOf(a))[0]
}

function wordsOf(family: ThinkingFamily, { effort, templateArguments }: ThinkingWays): readonly string[] {
  const { efforts, effortAs } = family
  if (effort?.readBy === 'server') {
    const common = effort.words.filter((word) => efforts?.some((each) => each === word) !== false)
    return family.default === 'always' && efforts === undefined ? [] : common
  }
  if (efforts === undefined) return []
  if (effortAs === 'argument' && templateArguments !== undefined) return efforts
  return efforts.filter((word) => effort?.words.includes(word) === true)
}

function effortFields(word: string, family: ThinkingFamily, ways: ThinkingWays): FieldValues {
  const { effort, templateArguments } = ways
  if (effort?.readBy !== 'server' && family.effortAs === 'argument' && templateArguments !== undefined) {
    return { [`${templateArguments}.reasoning_effort`]: word }
  }
  return effort === undefined ? {} : { [effort.field]: word }
}

/** A word that nobody knows is taken for a lot. */
function rankOf(word: string): number {
  const rank = ranks.indexOf(word)
  return rank === -1 ? ranks.indexOf('high') : rank
}

const ranks: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

function templateFields(values: ThinkingFamily['on'], { templateArguments }: ThinkingWays): FieldValues {
  if (values === undefined || templateArguments === undefined) return {}
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${templateArguments}.${name}`, value]),
  )
}

const silence: SaidThinking = { fields: {} }

function dropped(reason: string): SaidThinking {
  return { fields: {}, note: { kind: 'dropped', reason } }
}
