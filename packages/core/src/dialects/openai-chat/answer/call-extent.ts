import { JsonScanner } from '../../../text/json-scanner.ts'
import { isBlank } from '../../../text/space.ts'
import { joinedName, withoutTokens } from '../../../answer/calls/structured-call.ts'
import type { JsonObject } from '../../../json/objects.ts'

/**
 * How far a call has come to which no id was given. Where the index tells calls apart no better, a name behind
 * whole arguments does: without it the arguments of two calls would run together.
 */
export class CallExtent {
  private name = ''
  private readonly scanner = new JsonScanner()
  private head = ''
  private length = 0

  add(fn: JsonObject | null): void {
    const name = nameIn(fn)
    if (name !== null) this.name = joinedName(this.name, name)
    const json = jsonIn(fn)
    if (json === '') return
    if (this.head.length < longestHead) this.head += json
    this.length += json.length
    if (this.scanner.status === 'open') this.scanner.scan(json, 0)
  }

  /** Whether what comes now is of another call. Some servers say the name, or all of a call, once more at its end. */
  isFollowedBy(fn: JsonObject | null): boolean {
    const name = nameIn(fn)
    if (name === null || this.scanner.status !== 'done') return false
    if (name !== this.name) return true
    const json = jsonIn(fn)
    return !isBlank(json) && this.head.trim() !== '{}' && !this.isRepeatedIn(json)
  }

  private isRepeatedIn(json: string): boolean {
    return json.length === this.length && json.startsWith(this.head)
  }
}

const longestHead = 4096

function nameIn(fn: JsonObject | null): string | null {
  const name = fn?.['name']
  return typeof name === 'string' && name !== '' ? withoutTokens(name) : null
}

function jsonIn(fn: JsonObject | null): string {
  const given = fn?.['arguments'] ?? ''
  return typeof given === 'string' ? given : JSON.stringify(given)
}
