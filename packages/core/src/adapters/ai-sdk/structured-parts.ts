import type { AnswerIds } from '../../answer/ids.ts'
import { equalJsonTexts, nonEmptyText, type JsonObject } from '../../json/objects.ts'
import type { Part } from './specification.ts'

/** A call that the model wrote in its text. */
export interface WrittenCall {
  readonly name: string
  readonly json: string
}

/** Calls that the provider read itself. */
export class StructuredParts {
  readonly #ids: AnswerIds
  readonly #onWarning: (message: string) => void
  /** Behind calls in the text, by id, until each is whole. */
  readonly #held = new Map<string, Part[]>()
  readonly #renamed = new Map<string, string>()

  constructor(ids: AnswerIds, onWarning: (message: string) => void) {
    this.#ids = ids
    this.#onWarning = onWarning
  }

  static isStart({ type }: Part): boolean {
    return type === 'tool-input-start' || type === 'tool-call'
  }

  /** A part that belongs to a call, as it is to be sent on. A server that counts its ids anew repeats them. */
  pass(part: Part, fields: JsonObject): Part {
    const id = idOf(part, fields)
    const isOwn = StructuredParts.isStart(part) && fields['providerExecuted'] !== true
    if (isOwn && this.#ids.isInConversation(id) && !this.#renamed.has(id)) {
      this.#renamed.set(id, this.#ids.mint('std'))
    }
    const renamed = this.#renamed.get(id)
    return renamed === undefined ? part : { ...part, [idField(part)]: renamed }
  }

  isHeld(part: Part, fields: JsonObject): boolean {
    return this.#held.has(idOf(part, fields))
  }

  /**
   * Keeps a part back until its call is whole, and answers with what is to be sent then. Servers that read calls and
   * leak their text as well send each one twice; passed on at once, the tool would run twice.
   */
  hold(part: Part, fields: JsonObject, written: WrittenCall[]): readonly Part[] {
    const id = idOf(part, fields)
    const parts = [...(this.#held.get(id) ?? []), this.pass(part, fields)]
    if (part.type !== 'tool-call') {
      this.#held.set(id, parts)
      return []
    }
    this.#held.delete(id)
    if (!takeTwin(fields, written)) return parts
    const name = String(fields['toolName'])
    this.#onWarning(`the structured call of ${name} repeats one that the model wrote in its text; dropped`)
    return []
  }

  /** The parts of calls that did not become whole. */
  releaseHeld(): readonly Part[] {
    const parts = [...this.#held.values()].flat()
    this.#held.clear()
    return parts
  }
}

function idField({ type }: Part): 'id' | 'toolCallId' {
  return type.startsWith('tool-input') ? 'id' : 'toolCallId'
}

function idOf(part: Part, fields: JsonObject): string {
  return nonEmptyText(fields[idField(part)]) ?? ''
}

/** Takes the call that says the same out of those that the model wrote; false if there is none. */
function takeTwin({ toolName, input }: JsonObject, written: WrittenCall[]): boolean {
  const came = nonEmptyText(input) ?? '{}'
  const at = written.findIndex(({ name, json }) => name === toolName && equalJsonTexts(json, came))
  if (at === -1) return false
  written.splice(at, 1)
  return true
}
