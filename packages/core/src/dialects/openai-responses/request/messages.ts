import type { Block, Content, MediaBlock, TextBlock } from '../../../conversation.ts'
import { templateOf } from '../../../formats/template.ts'
import { InvalidField } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, wordOf } from '../../../json/objects.ts'
import { shortBeginning } from '../../../request/history-repair.ts'
import { originalInstructions } from '../../../request/instructions.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalIn } from '../../../request/original.ts'
import type { ResponsesTarget } from '../../../request/target.ts'
import type { UpstreamHistory } from '../../../request/upstream-history.ts'
import type { MessageCodec } from '../../dialect.ts'
import { callItems, toolKindsOf } from '../tools.ts'
import { encodeCall, encodeOutput } from './calls.ts'
import { encodeInstructions, instructionsRole, instructionsText } from './instructions.ts'
import { decodeItems, itemsIn } from './items.ts'
import { encodeInputParts } from './parts.ts'
import { itemPlaces } from './places.ts'
import { encodeReasoning } from './reasoning.ts'
import { takesAllItems } from './target.ts'

/** The items of OpenAI's Responses, with the instructions beside them. */
export const responsesMessages: MessageCodec = {
  id: 'openai-responses',
  reasoning: 'encrypted',
  inARow: 'keep',
  idPrefix: 'call_',
  places: itemPlaces,
  decode({ messages, system }, notes) {
    if (system !== undefined && system !== null && typeof system !== 'string') {
      throw new InvalidField('instructions', 'must be a string')
    }
    return decodeItems(itemsIn(messages), instructionsText(system ?? undefined), toolKindsOf([]), notes)
  },
  encode(system, history, target, notes) {
    const { instructions, items } = encodeInstructions(system, target, notes)
    const messages = [...items, ...encodeItems(history, target, notes)]
    return instructions === undefined ? { messages } : { messages, system: instructions }
  },
}

export function encodeItems(
  { contents, ids }: UpstreamHistory,
  target: ResponsesTarget,
  notes: Notes,
): JsonObject[] {
  const writer = new ItemWriter(ids, target, notes)
  for (const content of contents) writer.write(content)
  return writer.end()
}

class ItemWriter {
  readonly #ids: UpstreamHistory['ids']
  readonly #target: ResponsesTarget
  readonly #notes: Notes
  readonly #items: JsonObject[] = []
  /** The types of the items with the calls, by their ids: each type of call has a type of result. */
  readonly #calls = new Map<string, unknown>()
  #shown: JsonObject[] = []

  constructor(ids: UpstreamHistory['ids'], target: ResponsesTarget, notes: Notes) {
    this.#ids = ids
    this.#target = target
    this.#notes = notes
  }

  write(content: Content): void {
    if (content.speaker === 'tool') {
      this.#results(content)
      return
    }
    this.#showMedia()
    const instructions = originalInstructions(content)
    if (content.speaker === 'human') this.#user(content, instructions)
    else this.#assistant(content)
  }

  end(): JsonObject[] {
    this.#showMedia()
    const last = this.#items.at(-1)
    if (last?.['type'] === 'message' && last['role'] === 'assistant') {
      this.#notes.changed(
        'input',
        'The last message is the beginning of an answer; the upstream may answer anew instead of going on.',
      )
    }
    return this.#items
  }

  #results({ blocks }: Content): void {
    for (const block of blocks) {
      if (block.type !== 'tool_response') continue
      const id = this.#ids.resolveToolResponseId(block)
      const { item, shown } = encodeOutput(block, id, this.#calls.get(id), this.#target, this.#notes)
      this.#items.push(item)
      this.#shown.push(...shown)
    }
  }

  /** Nothing may stand between results, so what they show waits for the last of them. */
  #showMedia(): void {
    if (this.#shown.length > 0) this.#items.push({ type: 'message', role: 'user', content: this.#shown })
    this.#shown = []
  }

  #user({ blocks }: Content, instructions: JsonObject | undefined): void {
    if (this.#items.at(-1) !== undefined && this.#endsInResult() && this.#mayNotFollow()) {
      this.#notes.changed('input', 'The model has to speak after a tool; a short message was put between.')
      this.#items.push(this.#spoken('Understood.'))
    }
    if (instructions !== undefined) {
      const role = instructionsRole(instructions, this.#target, this.#notes)
      this.#items.push({ type: 'message', ...instructions, role })
      return
    }
    for (const { item, parts } of runsOf(blocks)) {
      const own = item !== undefined && takesAllItems(this.#target) ? ownItem(item, parts) : null
      if (own !== null) this.#items.push(own)
      else this.#plainUser(parts)
    }
  }

  #plainUser(blocks: readonly Block[]): void {
    const content = encodeInputParts(blocks, this.#target, this.#notes)
    this.#noteUnknown(blocks)
    if (content.length > 0) this.#items.push({ type: 'message', role: 'user', content })
  }

  #assistant({ blocks }: Content): void {
    if (this.#items.length === 0 && templateOf(this.#target.format).turns === 'alternate') {
      this.#items.push({ type: 'message', ...shortBeginning(this.#notes) })
    }
    let spoken: Block[] = []
    const speak = (): void => {
      for (const run of this.#runsOfModel(spoken)) this.#items.push(run)
      spoken = []
    }
    for (const block of blocks) {
      if (block.type === 'text' || block.type === 'media') {
        spoken.push(block)
        continue
      }
      speak()
      if (block.type === 'thinking')
        this.#items.push(encodeReasoning(block, this.#newId('rs_'), this.#target))
      if (block.type === 'tool_call') {
        const callId = this.#ids.resolveToolCallId(block)
        const item = encodeCall(block, callId, this.#newId(callItems.function.idPrefix), this.#target)
        this.#calls.set(callId, item['type'])
        this.#items.push(item)
      }
    }
    speak()
  }

  #runsOfModel(blocks: readonly Block[]): JsonObject[] {
    if (!takesAllItems(this.#target)) return this.#plainSpoken(blocks)
    return runsOf(blocks).flatMap(({ item, parts }) => {
      const own = item === undefined ? null : ownItem(item, parts)
      return own === null ? this.#plainSpoken(parts) : [own]
    })
  }

  /** One message with one part: some servers read no other part than the first. */
  #plainSpoken(blocks: readonly Block[]): JsonObject[] {
    this.#noteUnknown(blocks)
    if (blocks.some(({ type }) => type === 'media')) {
      this.#notes.dropped('input', 'The upstream takes no media in messages of the model.')
    }
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
    return text === '' ? [] : [this.#spoken(text, originalId(blocks[0]))]
  }

  #spoken(text: string, id?: unknown): JsonObject {
    return {
      type: 'message',
      ...(this.#target.responsesItems === 'openai'
        ? {}
        : { id: typeof id === 'string' ? id : this.#newId('msg_'), status: 'completed' }),
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    }
  }

  #noteUnknown(blocks: readonly Block[]): void {
    for (const block of blocks) {
      if (block.type !== 'text' || block.text !== '') continue
      const type = wordOf(block.original?.value['type'])
      this.#notes.dropped('input', `The upstream is not known to understand ${type}.`)
    }
  }

  /** The same for the same conversation, so that cached prefixes hold. */
  #newId(prefix: string): string {
    return `${prefix}${this.#items.length + 1}`
  }

  #endsInResult(): boolean {
    return wordOf(this.#items.at(-1)?.['type']).endsWith('_output')
  }

  #mayNotFollow(): boolean {
    return templateOf(this.#target.format).afterTool === 'model'
  }
}

interface Run {
  /** What the client's item had beside its parts; undefined for blocks that came in no item of this dialect. */
  readonly item: JsonObject | undefined
  readonly at: unknown
  readonly parts: (TextBlock | MediaBlock)[]
}

/** The blocks by the items that they came in. */
function runsOf(blocks: readonly Block[]): Run[] {
  const runs: Run[] = []
  for (const block of blocks) {
    if (block.type !== 'text' && block.type !== 'media') continue
    const { at, item } = originalIn(block, 'openai-responses') ?? {}
    const last = runs.at(-1)
    if (last !== undefined && last.at === at) last.parts.push(block)
    else runs.push({ item: isJsonObject(item) ? item : undefined, at, parts: [block] })
  }
  return runs
}

/** The item as it came. */
function ownItem(item: JsonObject, blocks: readonly (TextBlock | MediaBlock)[]): JsonObject {
  if ((item['type'] ?? 'message') !== 'message') return item
  const parts = blocks.map((block) => originalIn(block, 'openai-responses')?.['part'])
  const [only] = blocks
  const isText = parts.length === 1 && parts[0] === undefined && only?.type === 'text'
  return { type: 'message', ...item, content: isText ? only.text : parts.filter(isJsonObject) }
}

function originalId(block: Block | undefined): unknown {
  const item = block === undefined ? undefined : originalIn(block, 'openai-responses')?.['item']
  return isJsonObject(item) && item['type'] === 'message' ? item['id'] : undefined
}
