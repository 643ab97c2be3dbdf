import { isJsonObject, parseJson, type JsonObject } from '../../../json/objects.ts'
import { SseReader } from '../../../sse/reader.ts'
import type { SseItem } from '../../../sse/items.ts'
import { CollectedFields, type FieldRules } from './collected-fields.ts'
import { reasoningTextFields } from './reasoning-fields.ts'

/** Puts the event stream of a completion together as the whole one that it adds up to. */
export class CompletionCollector {
  // How long an event may be is for who read the stream to say, and it has been said.
  private readonly sse = new SseReader({ item: (item) => this.take(item) }, Number.MAX_SAFE_INTEGER)
  private readonly fields = new CollectedFields({})
  private readonly choices = new Map<number, CollectedChoice>()

  /** Text of the stream, cut anywhere. */
  push(sseText: string): void {
    this.sse.push(sseText)
  }

  /** Null where the stream had no choice. */
  end(): JsonObject | null {
    this.sse.end()
    if (this.choices.size === 0) return null
    const { usage, ...rest } = this.fields.whole()
    const choices = [...this.choices]
      .toSorted(([a], [b]) => a - b)
      .map(([index, choice]) => choice.whole(index))
    return { ...rest, object: 'chat.completion', choices, ...(usage === undefined ? {} : { usage }) }
  }

  private take(item: SseItem): void {
    const chunk = item.kind === 'event' ? parseJson(item.data) : undefined
    if (!isJsonObject(chunk)) return
    const { choices, ...rest } = chunk
    this.fields.add(rest)
    for (const [position, choice] of Array.isArray(choices) ? choices.entries() : []) {
      if (isJsonObject(choice)) this.takeChoice(choice, position)
    }
  }

  private takeChoice({ index: came, ...choice }: JsonObject, position: number): void {
    const index = typeof came === 'number' ? came : position
    let collected = this.choices.get(index)
    if (collected === undefined) {
      collected = new CollectedChoice()
      this.choices.set(index, collected)
    }
    collected.add(choice)
  }
}

class CollectedChoice {
  private readonly fields = new CollectedFields(choiceFields)
  private readonly message = new CollectedFields(messageFields)
  private readonly calls = new Map<number, CollectedFields>()
  private hasCalls = false

  add({ delta, message, ...rest }: JsonObject): void {
    this.fields.add(rest)
    const came = delta ?? message
    if (!isJsonObject(came)) return
    const { tool_calls: calls, ...said } = came
    this.message.add(Array.isArray(calls) ? said : came)
    if (Array.isArray(calls)) this.addCalls(calls)
  }

  whole(index: number): JsonObject {
    const { finish_reason, ...rest } = this.fields.whole()
    return { index, message: this.wholeMessage(), ...rest, finish_reason: finish_reason ?? null }
  }

  private addCalls(entries: readonly unknown[]): void {
    this.hasCalls = true
    for (const [position, entry] of entries.entries()) {
      if (!isJsonObject(entry)) continue
      const { index: came, ...call } = entry
      const index = typeof came === 'number' ? came : position
      const collected = this.calls.get(index) ?? new CollectedFields(callFields)
      this.calls.set(index, collected)
      collected.add(call)
    }
  }

  private wholeMessage(): JsonObject {
    const { role, content, ...rest } = this.message.whole()
    const calls = [...this.calls].toSorted(([a], [b]) => a - b).map(([, call]) => call.whole())
    return {
      role: role ?? 'assistant',
      // A stream begins with an empty text, whatever follows; a whole message with calls alone has none.
      content: content === '' && calls.length > 0 ? null : (content ?? null),
      ...rest,
      ...(this.hasCalls ? { tool_calls: calls } : {}),
    }
  }
}

const choiceFields: FieldRules = { logprobs: { content: 'list', refusal: 'list' } }

const messageFields: FieldRules = {
  content: 'text',
  refusal: 'text',
  ...Object.fromEntries(reasoningTextFields.map((field) => [field, 'text'] as const)),
  annotations: 'list',
  reasoning_details: 'list',
  thinking_blocks: 'list',
  images: 'list',
  function_call: { arguments: 'text' },
  audio: { data: 'text', transcript: 'text' },
}

const callFields: FieldRules = {
  function: { arguments: 'text' },
  custom: { input: 'text' },
}
