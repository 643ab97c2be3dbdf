import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject } from './json.ts'

/** What a real server would have found of a conversation in its cache. */
export interface SeenPrefix {
  /**
   * `first`: the model has said nothing in it yet. `warm`: all that was there when the model spoke last has been here
   * before. `cold`: some of that has not, and would have to be read anew.
   */
  readonly is: 'first' | 'warm' | 'cold'
  /** How many of its parts, from the beginning on, have been here before. */
  readonly known: number
  /** The instructions and tools, and each message behind them. */
  readonly parts: number
}

export type PrefixCounts = Readonly<Record<SeenPrefix['is'], number>>

/** A simulator that runs for days must not fill the memory. */
const REMEMBERED = 200_000

/** Remembers the beginnings of all conversations that came, as the cache of a real server does while it has room. */
export class PrefixCache {
  private readonly seen = new Set<string>()
  private readonly counted = { first: 0, warm: 0, cold: 0 }

  get counts(): PrefixCounts {
    return this.counted
  }

  /** Looks a request up, and remembers it. */
  take(body: unknown): SeenPrefix {
    const parts = partsOf(isJsonObject(body) ? body : {})
    const beginnings = beginningsOf(parts)
    const unknown = beginnings.findIndex((each) => !this.seen.has(each))
    const known = unknown === -1 ? parts.length : unknown
    const before = beforeLastAnswer(parts)
    const is = before === undefined ? 'first' : known >= before ? 'warm' : 'cold'
    this.counted[is]++
    for (const each of beginnings) this.remember(each)
    return { is, known, parts: parts.length }
  }

  private remember(beginning: string): void {
    this.seen.delete(beginning)
    this.seen.add(beginning)
    const [oldest] = this.seen
    if (this.seen.size > REMEMBERED && oldest !== undefined) this.seen.delete(oldest)
  }
}

/** What stands in front of the messages, then the messages, as each dialect calls them. */
function partsOf(body: JsonObject): unknown[] {
  const { model, system, instructions, systemInstruction, tools } = body
  const messages = body['messages'] ?? body['input'] ?? body['contents']
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [messages]
  return [{ model, system, instructions, systemInstruction, tools }, ...all]
}

/** Each beginning is told by the one before it and by what comes next. */
function beginningsOf(parts: readonly unknown[]): string[] {
  let before = ''
  return parts.map((part) => {
    before = createHash('sha256').update(before).update(JSON.stringify(part, withoutMarks)).digest('base64')
    return before
  })
}

/** Clients move their marks for caches from message to message. They are no part of the prompt. */
function withoutMarks(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value
}

/** How many parts there were when the model spoke last; undefined where it has said nothing. */
function beforeLastAnswer(parts: readonly unknown[]): number | undefined {
  const last = parts.findLastIndex(isOfModel)
  if (last === -1) return undefined
  const other = parts.slice(0, last).findLastIndex((part) => !isOfModel(part))
  return other + 1
}

function isOfModel(part: unknown): boolean {
  if (!isJsonObject(part)) return false
  const { role, type } = part
  return role === 'assistant' || role === 'model' || type === 'function_call' || type === 'reasoning'
}
