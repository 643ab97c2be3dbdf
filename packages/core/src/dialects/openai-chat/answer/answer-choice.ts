import type { AnswerReader } from '../../../answer/calls/reader.ts'
import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import { cutName, type StructuredCall, withoutTokens } from '../../../answer/calls/structured-call.ts'
import { CallLookup } from './call-lookup.ts'
import { readReasoning } from './reasoning-parts.ts'

/** Reads what one choice says, delta by delta; a whole message is one delta. */
export class AnswerChoice {
  private readonly reader: AnswerReader
  private readonly lookup = new CallLookup<StructuredCall>()
  private legacyCall: StructuredCall | undefined

  constructor(reader: AnswerReader) {
    this.reader = reader
  }

  /** In the order in which a client is to get it: reasoning, text, calls. */
  read(delta: JsonObject): void {
    this.readReasoning(delta)
    const { content } = delta
    if (typeof content === 'string') this.reader.content(content)
    else if (Array.isArray(content)) for (const part of content) this.readPart(part)
    const refusal = nonEmptyText(delta['refusal'])
    if (refusal !== null) this.reader.content(refusal)
    if (Array.isArray(delta['tool_calls'])) this.readCalls(delta['tool_calls'])
    if (isJsonObject(delta['function_call'])) this.readLegacy(delta['function_call'])
    for (const field of droppedFields) {
      if (isThere(delta[field]))
        this.reader.warnOnce(`${field} has no place in the client's dialect; dropped`)
    }
  }

  private readReasoning(delta: JsonObject): void {
    const { parts, proofs } = readReasoning(delta)
    for (const { text, field } of parts) this.reader.reasoning(text, field)
    for (const proof of proofs) this.reader.proof(proof)
  }

  private readPart(part: unknown): void {
    if (typeof part === 'string') this.reader.content(part)
    if (!isJsonObject(part)) return
    if (typeof part['text'] === 'string') this.reader.content(part['text'])
    else if (part['type'] === 'thinking') this.readReasoning({ reasoning: part['thinking'] })
    else this.reader.warnOnce(`a content part of type ${String(part['type'])} was dropped`)
  }

  private readCalls(entries: readonly unknown[]): void {
    for (const entry of entries) {
      if (!isJsonObject(entry)) continue
      const known = this.lookup.find(entry)
      // An index that another call has cannot stay.
      if (known === undefined && this.lookup.hasIndexOf(entry)) this.reader.repair('filled-field')
      const call = known ?? this.reader.openCall()
      this.lookup.remember(entry, call)
      call.addId(entry['id'])
      const { function: fn } = entry
      if (isJsonObject(fn)) this.addTo(call, fn)
      this.reader.callsGrew()
    }
  }

  /** It has neither index nor id: all its deltas are one call. */
  private readLegacy(functionCall: JsonObject): void {
    this.legacyCall ??= this.reader.openCall()
    this.addTo(this.legacyCall, functionCall)
    this.reader.callsGrew()
  }

  private addTo(call: StructuredCall, { name, arguments: given }: JsonObject): void {
    if (typeof name === 'string') {
      const clean = withoutTokens(name)
      if (clean !== name) this.reader.warnOnce(cutName)
      call.addName(clean)
    }
    call.addArguments(given)
  }
}

const droppedFields = ['audio', 'annotations', 'images'] as const

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
