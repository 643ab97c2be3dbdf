import type { CallPolicy } from '../../../answer/calls/policy.ts'
import { type Failure, missingEnd } from '../../../answer/failure.ts'
import type { WireAnswer } from '../../../answer/stream.ts'
import { isJsonObject, objectIn, type JsonObject, wordOf } from '../../../json/objects.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { PlainDeltas } from './plain-deltas.ts'
import { ResponseReader } from './reader.ts'

/** The end of a response that failed as the error that it holds, so that it is read as every other error is. */
export function failureAsError(data: unknown): unknown {
  if (!isJsonObject(data) || data['type'] !== 'response.failed') return data
  const { error } = objectIn(data, 'response')
  return { type: 'error', error: error ?? { message: 'The upstream ended its response with "failed".' } }
}

/** Reads the events of a response into the policy of another dialect's client. */
export function decodeResponsesAnswer(policy: CallPolicy): WireAnswer {
  return new ResponseAnswer(policy)
}

class ResponseAnswer implements WireAnswer {
  private readonly policy: CallPolicy
  private readonly reader: ResponseReader
  private readonly deltas = new PlainDeltas()

  constructor(policy: CallPolicy) {
    this.policy = policy
    this.reader = new ResponseReader(policy, {
      calls: 'as functions',
      partsBetween: '\n\n',
      onLateProof: () => policy.repair('late-signature'),
    })
  }

  get failure(): Failure | null {
    return this.policy.failure
  }

  get isStarted(): boolean {
    return this.policy.isStarted
  }

  get isEnded(): boolean {
    return this.policy.isEnded
  }

  get hasFinishReason(): boolean {
    return this.reader.isOver
  }

  get taken(): number {
    return this.deltas.taken
  }

  /** What one read brings is one text: each delta by itself would cost the client as much as us. */
  takeEvents(text: string, at: number, limit: number): number {
    const { deltas } = this
    if (!this.policy.joinsContent) return at
    const next = deltas.match(text, at, limit)
    if (next === at) return at
    deltas.taken += deltas.ends.length
    this.reader.sayMore(deltas.content)
    return next
  }

  read(data: JsonObject, event: SseEvent): void {
    this.deltas.pause()
    this.reader.read({ data, event })
    this.deltas.learnFrom({ data, event })
    this.warnOfDropped(data)
    if (this.reader.isOver) this.reader.finish()
  }

  foreign(_event: SseEvent, fault: string): void {
    this.policy.warn(`${fault}; left out`)
  }

  /** A stream may end with a marker of its own. Without the end of the response that says nothing about the answer. */
  finish(): void {
    if (this.reader.isOver) this.reader.finish()
    else this.policy.fail(missingEnd(true, false))
  }

  fail(failure: Failure): void {
    this.policy.fail(failure)
  }

  private warnOfDropped({ type, item, part }: JsonObject): void {
    if (type === 'response.output_item.added' || type === 'response.output_item.done') {
      const kind = objectIn({ item }, 'item')['type']
      if (!knownItems.has(kind)) this.drop(`an item of type ${wordOf(kind)}`)
    } else if (type === 'response.content_part.added') {
      const kind = objectIn({ part }, 'part')['type']
      if (!knownParts.has(kind)) this.drop(`a part of type ${wordOf(kind)}`)
    } else if (type === 'response.output_text.annotation.added') {
      this.drop('an annotation')
    }
  }

  private drop(what: string): void {
    this.policy.warnOnce(`${what} has no place in the client's dialect; dropped`)
  }
}

const knownItems: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
  'tool_search_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
])

const knownParts: ReadonlySet<unknown> = new Set(['output_text', 'text', 'refusal', 'reasoning_text'])
