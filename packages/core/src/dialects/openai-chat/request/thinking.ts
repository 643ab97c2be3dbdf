import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { ConversationRequest, ReasoningRequest } from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import { effortOfBudget } from '../../../request/settings.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { isThinking, nested, sayThinking } from '../../../request/thinking.ts'
import type { FieldValues } from '../../../request/thinking-ways.ts'

export interface EncodedThinking {
  readonly fields: JsonObject
  /** The client's other fields, without those that said what `fields` says now. */
  readonly extra: JsonObject
  /** Whether the model will think. */
  readonly thinks: boolean
}

/**
 * A client of the same dialect may say its wish in the words of some server. They go on as they are where nothing is
 * known of the upstream or its model, and where they mean there what they say.
 */
export function encodeThinking(
  request: ConversationRequest,
  target: ChatTarget,
  notes: Notes,
): EncodedThinking {
  const isOwn = target.sameDialect === true && target.thinkingSetBy !== 'user'
  const client = clientsWords(request)
  const wish = isOwn ? client.wish : request.reasoning
  const thinks = isThinking(wish, target, target.thinking)
  const isReplaced = target.sameDialect === true && target.thinkingSetBy === 'user'
  const extra = isReplaced ? client.rest : request.extra
  if (wish === undefined) return { fields: {}, extra, thinks }

  const said = sayThinking(wish, target, target.thinking)
  if (said === null) {
    if (isOwn) return { fields: ownEffort(request.reasoning), extra, thinks }
    if (target.thinkingSetBy === 'user') return { fields: plainEffort(wish), extra, thinks }
    notes.dropped('thinking', 'It is not known how this model is told there how to think.')
    return { fields: {}, extra, thinks }
  }
  const isMeant = isOwn && holds(said.fields, client.said)
  // What callers may send can be limited to some fields, but not what they may wish.
  if (isMeant && wish.mode !== 'off' && target.allowedFields === undefined) {
    return { fields: ownEffort(request.reasoning), extra, thinks }
  }
  if (said.note !== undefined) notes[said.note.kind]('thinking', said.note.reason)
  else if (isOwn && !isMeant) {
    notes.changed('thinking', 'The client says it in words that mean nothing there, or something else.')
  }
  const fields = isOwn ? besideOwn(said.fields, client.rest) : said.fields
  return { fields: nested(fields), extra: isOwn ? client.rest : extra, thinks }
}

/** What we say beside the wish, such as that earlier reasoning counts, the client may have decided itself. */
function besideOwn(fields: FieldValues, rest: JsonObject): FieldValues {
  return Object.fromEntries(
    Object.entries(fields).filter(([path]) => {
      const [outer = path, inner] = path.split('.')
      const own = rest[outer]
      return inner === undefined ? own === undefined : !isJsonObject(own) || !(inner in own)
    }),
  )
}

function ownEffort(reasoning: ReasoningRequest | undefined): JsonObject {
  return reasoning?.effort === undefined ? {} : { reasoning_effort: reasoning.effort }
}

/** What most servers take. A user who asked for it may have it, whatever the server is. */
function plainEffort({ mode, effort, budgetTokens }: ReasoningRequest): JsonObject {
  if (mode === 'off') return { reasoning_effort: 'none' }
  const word = effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens))
  return word === undefined ? {} : { reasoning_effort: word }
}

function holds(fields: FieldValues, others: FieldValues): boolean {
  return Object.entries(others).every(([path, value]) => fields[path] === value)
}

interface ClientsWords {
  readonly wish: ReasoningRequest | undefined
  /** Every field in which the client says something of its wish. */
  readonly said: FieldValues
  /** The other fields, without these. */
  readonly rest: JsonObject
}

/** What a client says of thinking, in whichever server's words. */
function clientsWords({ reasoning, extra }: ConversationRequest): ClientsWords {
  const said: Record<string, string | number | boolean> = {}
  const rest: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(extra)) {
    const left = isJsonObject(value) ? takeWords(`${field}.`, value, said) : value
    if (isWord(field, value)) said[field] = value
    else if (left === value || Object.keys(Object(left)).length > 0) rest[field] = left
  }
  if (reasoning?.effort !== undefined) said['reasoning_effort'] = reasoning.effort
  return { wish: wishIn(said), said, rest }
}

function takeWords(
  prefix: string,
  value: JsonObject,
  said: Record<string, string | number | boolean>,
): JsonObject {
  const left: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) {
    if (isWord(prefix + name, inner)) said[prefix + name] = inner
    else left[name] = inner
  }
  return Object.keys(left).length === Object.keys(value).length ? value : left
}

function isWord(path: string, value: unknown): value is string | number | boolean {
  const type = typeof value
  return words.has(path) && (type === 'string' || type === 'number' || type === 'boolean')
}

const efforts = ['reasoning_effort', 'reasoning.effort', 'chat_template_kwargs.reasoning_effort']
const budgets = [
  'thinking_budget',
  'thinking_token_budget',
  'thinking_budget_tokens',
  'thinking.budget_tokens',
  'reasoning.max_tokens',
  'chat_template_kwargs.thinking_budget',
]
const switches = [
  'thinking.type',
  'enable_thinking',
  'reasoning.enabled',
  'chat_template_kwargs.enable_thinking',
  'chat_template_kwargs.thinking',
  'chat_template_kwargs.thinking_mode',
]
const words: ReadonlySet<string> = new Set([...efforts, ...budgets, ...switches])
const offWords: ReadonlySet<unknown> = new Set([false, 'disabled', 'none', 'no_think', 0])

function wishIn(said: FieldValues): ReasoningRequest | undefined {
  const [effort, budget, turned] = [efforts, budgets, switches].map((paths) =>
    paths.map((path) => said[path]).find((value) => value !== undefined),
  )
  if (effort === undefined && budget === undefined && turned === undefined) return undefined
  if ([effort, budget, turned].some((value) => offWords.has(value))) return { mode: 'off' }
  return {
    mode: 'on',
    ...(typeof effort === 'string' ? { effort } : {}),
    ...(typeof budget === 'number' && budget > 0 ? { budgetTokens: budget } : {}),
  }
}
