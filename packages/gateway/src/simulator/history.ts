import type { FormatId } from '@dragoman/core'
import type { ChatMessage, PastCall } from './chat-request.ts'
import { isJsonObject } from './json.ts'

/** What can be wrong with a conversation that is sent to a model. */
type HistoryProblemCode =
  | 'role-order'
  | 'unknown-role'
  | 'missing-id'
  | 'missing-name'
  | 'repeated-id'
  | 'wrong-id'
  | 'invalid-arguments'
  | 'missing-reasoning'
  | 'unread-reasoning'
  | 'wrong-signature'
  | 'unanswered-call'
  | 'unexpected-result'

export interface HistoryProblem {
  readonly code: HistoryProblemCode
  readonly message: string
}

export interface HistoryRules {
  readonly family: FormatId
  /** Whether the model thinks. If so, its thoughts must come back with its calls. */
  readonly thinks: boolean
}

/**
 * Finds everything that is wrong with a history, in order. A real model would answer such a history with nonsense or
 * an error.
 */
export function checkHistory(messages: readonly ChatMessage[], rules: HistoryRules): HistoryProblem[] {
  const history = new HistoryCheck(rules)
  messages.forEach((message, index) => history.read(message, index))
  return history.end()
}

/** Formats whose templates show the model an id that they make from the position among all calls. */
const idStyles: Partial<Record<FormatId, (call: PastCall, index: number) => string>> = {
  kimi: ({ name }, index) => `functions.${name}:${index}`,
}

/** Formats whose servers refuse ids in any other shape. */
const idPatterns: Partial<Record<FormatId, { readonly pattern: RegExp; readonly says: string }>> = {
  mistral: { pattern: /^[a-zA-Z0-9]{9}$/, says: 'nine letters and digits' },
  anthropic: { pattern: /^[a-zA-Z0-9_-]{1,64}$/, says: 'letters, digits, _ and -' },
}

/** Whose templates, or servers, refuse turns that do not alternate. */
const strictTurns: ReadonlySet<FormatId> = new Set<FormatId>(['mistral', 'gemma'])

/**
 * Formats whose templates show the model a system message wherever it stands. The other templates fail or leave it
 * out.
 */
const systemAnywhere: ReadonlySet<FormatId> = new Set<FormatId>([
  'standard',
  'anthropic',
  'kimi',
  'deepseek',
  'glm',
])

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool'])
const needReasoning: ReadonlySet<FormatId> = new Set<FormatId>(['kimi', 'deepseek'])

class HistoryCheck {
  readonly #rules: HistoryRules
  readonly #problems: HistoryProblem[] = []
  readonly #ids = new Set<string>()
  /** The calls whose results must follow next. */
  #open: { readonly id: string | undefined; readonly name: string }[] = []
  #callCount = 0
  #hasBegun = false
  #lastRole = ''

  constructor(rules: HistoryRules) {
    this.#rules = rules
  }

  read(message: ChatMessage, index: number): void {
    const at = `messages[${index}]`
    if (strictTurns.has(this.#rules.family)) this.#turn(message, at)
    this.#lastRole = message.role
    if (message.role === 'tool') {
      this.#result(message, at)
      return
    }
    this.#closeCalls(at)
    this.#role(message, at)
    if (message.hasWrongSignature === true)
      this.#report('wrong-signature', `${at}: the signature of the thinking was not made here for this text`)
    if (message.calls.length > 0) this.#calls(message, at)
  }

  end(): HistoryProblem[] {
    this.#closeCalls('the end')
    return this.#problems
  }

  #role({ role }: ChatMessage, at: string): void {
    const isSystem = role === 'system' || role === 'developer'
    if (!roles.has(role)) this.#report('unknown-role', `${at}: there is no role "${role}"`)
    else if (isSystem && this.#hasBegun && !systemAnywhere.has(this.#rules.family))
      this.#report('role-order', `${at}: ${role} after the conversation began`)
    this.#hasBegun ||= !isSystem
  }

  #turn({ role }: ChatMessage, at: string): void {
    const before = this.#lastRole
    const isFirst = before === '' || before === 'system'
    if (isFirst && role !== 'user' && role !== 'system')
      this.#report('role-order', `${at}: the conversation must begin with the user`)
    else if (role !== 'tool' && role === before)
      this.#report('role-order', `${at}: ${role} after ${before}: the roles must alternate`)
    else if (role === 'user' && before === 'tool')
      this.#report('role-order', `${at}: the assistant must speak after a tool`)
  }

  #calls({ role, calls, reasoningContent }: ChatMessage, at: string): void {
    const { family, thinks } = this.#rules
    if (role !== 'assistant') this.#report('role-order', `${at}: tool_calls in a message of the ${role}`)
    if (thinks && needReasoning.has(family) && reasoningContent === '') {
      this.#report(
        'missing-reasoning',
        `${at}: thinking is on, but the message with tool_calls has no reasoning_content`,
      )
    }
    calls.forEach((call, index) => this.#call(call, `${at}.tool_calls[${index}]`))
    this.#open = calls.map(({ id, name }) => ({ id, name }))
  }

  #call(call: PastCall, at: string): void {
    const { id } = call
    const { family } = this.#rules
    const expected = idStyles[family]?.(call, this.#callCount)
    const legal = idPatterns[family]
    this.#callCount++
    if (id === undefined || id === '') this.#report('missing-id', `${at}: the call has no id`)
    else if (this.#ids.has(id)) this.#report('repeated-id', `${at}: the id ${id} was used before`)
    else if (expected !== undefined && id !== expected) {
      this.#report('wrong-id', `${at}: the id is ${id}, it must be ${expected}`)
    } else if (legal !== undefined && !legal.pattern.test(id)) {
      this.#report('wrong-id', `${at}: the id is ${id}, it must be ${legal.says}`)
    }
    if (call.name === '') this.#report('missing-name', `${at}: the call has no name`)
    if (id !== undefined) this.#ids.add(id)
    if (!isArguments(call.arguments)) {
      this.#report('invalid-arguments', `${at}: the arguments of ${call.name} are not the JSON of an object`)
    }
  }

  #result({ callId }: ChatMessage, at: string): void {
    const answered = this.#open.findIndex(({ id }) => id !== undefined && id === callId)
    if (answered === -1) {
      const why =
        callId !== undefined && this.#ids.has(callId)
          ? 'does not stand directly after its call'
          : 'has no call'
      this.#report('unexpected-result', `${at}: the result for ${callId ?? 'no id'} ${why}`)
    }
    this.#open = this.#open.filter((_, index) => index !== answered)
  }

  #closeCalls(at: string): void {
    for (const { id, name } of this.#open) {
      this.#report('unanswered-call', `${at}: no result for ${id ?? `the call of ${name}`}`)
    }
    this.#open = []
  }

  #report(code: HistoryProblemCode, message: string): void {
    this.#problems.push({ code, message })
  }
}

function isArguments(value: unknown): boolean {
  if (typeof value !== 'string') return false
  try {
    return isJsonObject(JSON.parse(value))
  } catch {
    return false
  }
}
