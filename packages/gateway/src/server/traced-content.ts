import {
  type AnswerSink,
  type Block,
  type ConversationRequest,
  createAnswerDecoder,
  type DialectId,
  type FinishReason,
  readAnswer,
} from '@dragoman/core'
import type { Attributes } from '../observe/traces/span.ts'
import { finishReasons, genAi, own } from '../observe/traces/names.ts'

/** A message as the conventions want it. */
interface Message {
  readonly role: string
  readonly parts: readonly object[]
}

/** The most characters of one attribute. Beyond it the beginning of a conversation is left out, and its longest texts cut. */
const MOST_CONTENT = 262_144
const MOST_TEXT = 32_768
/** The most bytes of an answer that are kept to be read. Events are many times as long as the words in them. */
const MOST_KEPT = 4_194_304

/** What was asked, for the span of a request. */
export function askedContent({ system, contents }: ConversationRequest): Attributes {
  const instructions = system.map(({ text }) => ({ type: 'text', content: cut(text) }))
  const messages = contents.map(({ speaker, blocks }) => ({
    role: roles[speaker],
    parts: blocks.map(partOf),
  }))
  const { json, omitted } = lastOf(messages)
  return {
    [genAi.instructions]: instructions.length === 0 ? null : JSON.stringify(instructions),
    [genAi.inputMessages]: json,
    [own.omitted]: omitted === 0 ? null : omitted,
  }
}

const roles = { human: 'user', ai: 'assistant', tool: 'tool' } as const

function partOf(block: Block): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', content: cut(block.text) }
    case 'thinking':
      return { type: 'reasoning', content: cut(block.thought) }
    case 'tool_call':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: whole(block.parameters) }
    case 'tool_response':
      return { type: 'tool_call_response', id: block.callId, response: whole(block.result) }
    // An image is larger than all the words of a conversation, and no trace is the place for it.
    case 'media':
      return { type: 'blob', mime_type: block.mimeType, content: '' }
  }
}

/** What a client gets, kept until it is known what it says. */
export class AnsweredContent {
  private readonly pieces: Buffer[] = []
  private size = 0

  add(piece: string | Uint8Array): void {
    if (this.size > MOST_KEPT) return
    const bytes = Buffer.from(piece)
    this.pieces.push(bytes)
    this.size += bytes.length
    if (this.size > MOST_KEPT) this.pieces.length = 0
  }

  /** The attribute for it; none where the answer is too long, or nothing was said. */
  attributes(dialect: DialectId, isStream: boolean, finish: FinishReason | null): Attributes {
    if (this.size > MOST_KEPT) return { [own.omittedAnswer]: true }
    const parts = partsOf(Buffer.concat(this.pieces), dialect, isStream)
    if (parts.length === 0) return {}
    return {
      [genAi.outputMessages]: JSON.stringify([
        { role: 'assistant', parts, finish_reason: finish === null ? 'error' : finishReasons[finish] },
      ]),
    }
  }
}

/** The answer is read once more, as its client reads it. Its calls are structured already. */
function partsOf(bytes: Buffer, dialect: DialectId, isStream: boolean): object[] {
  const sink = new PartCollector()
  const options = { sink, parser: { tools: [] }, mint: () => 'call', faults: 'pass' } as const
  if (isStream) {
    const decoder = createAnswerDecoder(dialect, options)
    decoder.push(bytes)
    decoder.end()
  } else {
    readAnswer(dialect, bytes.toString('utf8'), options)
  }
  return sink.parts()
}

type Part =
  | { readonly type: 'text' | 'reasoning'; content: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; arguments: string }

class PartCollector implements AnswerSink {
  private readonly collected: Part[] = []

  parts(): object[] {
    return this.collected.map((part) =>
      part.type === 'tool_call'
        ? { ...part, arguments: parsed(part.arguments) }
        : { ...part, content: cut(part.content) },
    )
  }

  text(text: string): void {
    this.say('text', text)
  }

  reasoning(text: string): void {
    this.say('reasoning', text)
  }

  callStart(_index: number, id: string, name: string): void {
    this.collected.push({ type: 'tool_call', id, name, arguments: '' })
  }

  callDelta(_index: number, json: string): void {
    const last = this.collected.at(-1)
    if (last?.type === 'tool_call') last.arguments += json
  }

  start(): void {}
  reasoningProof(): void {}
  callEnd(): void {}
  usage(): void {}
  finish(): void {}
  fail(): void {}
  end(): void {}
  problem(): void {}
  repair(): void {}

  private say(type: 'text' | 'reasoning', text: string): void {
    const last = this.collected.at(-1)
    if (last?.type === type) last.content += text
    else this.collected.push({ type, content: text })
  }
}

/** As many of the last messages as there is room for. */
function lastOf(messages: readonly Message[]): { readonly json: string; readonly omitted: number } {
  const texts: string[] = []
  let size = 0
  for (const message of messages.toReversed()) {
    const text = JSON.stringify(message)
    size += text.length
    if (size > MOST_CONTENT) break
    texts.push(text)
  }
  return { json: `[${texts.toReversed().join(',')}]`, omitted: messages.length - texts.length }
}

/** A value, or the beginning of its text where that is too long. */
function whole(value: unknown): unknown {
  const json = JSON.stringify(value) ?? ''
  return json.length > MOST_TEXT ? cut(json) : value
}

function cut(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text
}

function parsed(json: string): unknown {
  try {
    return whole(JSON.parse(json))
  } catch {
    return cut(json)
  }
}
