import type { FinishReason } from '../answer/answer.ts'
import type { Glance, GlancedPart } from '../answer/glance.ts'
import type { JsonObject } from '../json/objects.ts'
import { glanceAtMessage } from './anthropic-messages/answer/glance.ts'
import { glanceAtContent } from './gemini/answer/glance.ts'
import type { DialectId } from './index.ts'
import { glanceAtCompletion } from './openai-chat/answer/glance.ts'
import { glanceAtResponse } from './openai-responses/answer/glance.ts'

/** They stand apart from the rest of a dialect: who only looks at answers would otherwise load all that writes them. */
const glances: Readonly<Record<DialectId, Glance>> = {
  'openai-chat': glanceAtCompletion,
  'anthropic-messages': glanceAtMessage,
  'openai-responses': glanceAtResponse,
  gemini: glanceAtContent,
}

/** An answer as it is shown: what the model wrote, and the calls that its server made of it. */
export interface AnswerGlance {
  /** In the order in which they came. */
  readonly calls: readonly GlancedCall[]
  /** Why the answer ended; null where it has not said so. */
  readonly end: FinishReason | 'error' | null
  /**
   * Takes the JSON of the next event, or of a whole answer, and gives what it adds. Null where it is in no dialect that is
   * known.
   */
  add(data: JsonObject): readonly GlancedPiece[] | null
}

export type GlancedPiece = GlancedText | GlancedCallPiece

export interface GlancedText {
  readonly channel: 'content' | 'reasoning'
  readonly text: string
}

/** A stretch of a call. */
export interface GlancedCallPiece {
  readonly channel: 'call'
  /** Its place in `calls`. */
  readonly call: number
  /** Where it was not told before. */
  readonly name: string | null
  /** What it adds to the arguments. */
  readonly text: string
}

export interface GlancedCall {
  readonly id: string | null
  readonly name: string
  /** The arguments as they were written. */
  readonly json: string
}

/** Looks at an answer of any dialect. Nothing is decided about calls, and nothing is checked: `createAnswerDecoder` does. */
export function createAnswerGlance(): AnswerGlance {
  return new CollectedGlance()
}

class CollectedGlance implements AnswerGlance {
  readonly calls: { id: string | null; name: string; json: string }[] = []
  end: FinishReason | 'error' | null = null
  /** What was said so far of each text that may come once more as a whole. */
  private readonly said = new Map<string, string>()
  private readonly callOf = new Map<string, number>()

  add(data: JsonObject): GlancedPiece[] | null {
    for (const glance of Object.values(glances)) {
      const parts = glance(data)
      if (parts !== null) return parts.flatMap((part) => this.take(part))
    }
    return null
  }

  private take(part: GlancedPart): GlancedPiece[] {
    switch (part.is) {
      case 'end':
        this.end = part.reason
        return []
      case 'call':
        return [this.takeCall(part)]
      default: {
        const said = this.said.get(part.key) ?? ''
        const text = part.adds === 'more' ? part.text : restOf(part.text, said)
        if (text === '') return []
        this.said.set(part.key, said + text)
        return [{ channel: part.is === 'text' ? 'content' : 'reasoning', text }]
      }
    }
  }

  private takeCall({ key, id, name, json, adds }: Extract<GlancedPart, { is: 'call' }>): GlancedCallPiece {
    const at = (key === null ? undefined : this.callOf.get(key)) ?? this.calls.length
    const call = this.calls[at] ?? { id: null, name: '', json: '' }
    this.calls[at] = call
    if (key !== null) this.callOf.set(key, at)
    call.id ??= id
    const isNew = name !== null && call.name === ''
    if (isNew) call.name = name
    const text = adds === 'more' ? json : restOf(json, call.json)
    call.json += text
    return { channel: 'call', call: at, name: isNew ? name : null, text }
  }
}

/** What a whole text says beyond the deltas before it. What they said otherwise cannot be taken back. */
function restOf(whole: string, said: string): string {
  return whole.startsWith(said) ? whole.slice(said.length) : ''
}
