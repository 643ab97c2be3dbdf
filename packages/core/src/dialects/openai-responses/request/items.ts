import type { Block, HasOriginal, Speaker } from '../../../conversation.ts'
import { InvalidField, optionalArray, otherFields, requiredObject } from '../../../json/fields.ts'
import { type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { SystemText } from '../../../request/conversation-request.ts'
import type { DecodedMessages } from '../../../request/decoding.ts'
import { withToolNames } from '../../../request/history-repair.ts'
import { systemReminder } from '../../../request/instructions.ts'
import type { Notes } from '../../../request/notes.ts'
import { withOriginal } from '../../../request/original.ts'
import type { ToolKinds } from '../tools.ts'
import { callKindOf, decodeCall, decodeOutput, outputKindOf } from './calls.ts'
import { readCompaction, summaryWish } from './compaction.ts'
import { messageOriginal, systemTextsOf, wholeItem } from './instructions.ts'
import { decodeParts } from './parts.ts'
import { decodeReasoning } from './reasoning.ts'
import { resultTextOf } from './server-results.ts'
import { bringsTools, type ToolList } from './tools.ts'

/** The items of `input`. A text is one message of the user. */
export function itemsIn(input: unknown): readonly JsonObject[] {
  if (input === undefined || input === null) return []
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  if (!Array.isArray(input)) throw new InvalidField('input', 'must be a string or an array of items')
  return input.map((item: unknown, at) => requiredObject(item, `input[${at}]`))
}

/** Where a request has tools: in the field for them, and in items that bring more. Those are not said twice. */
export function toolListsIn(fields: JsonObject, items: readonly JsonObject[]): ToolList[] {
  const lists = [{ tools: optionalArray(fields, 'tools'), path: 'tools' }]
  for (const [at, item] of items.entries()) {
    if (!bringsTools(item)) continue
    lists.push({ tools: optionalArray(item, 'tools', `input[${at}].`), path: `input[${at}].tools` })
  }
  return lists
}

/** Reads the items in order. What the model said and called up to a result is one content, however many items it has. */
export function decodeItems(
  items: readonly JsonObject[],
  instructions: readonly SystemText[],
  kinds: ToolKinds,
  notes: Notes,
): DecodedMessages {
  const reader = new ItemReader(kinds, notes)
  for (const [at, item] of items.entries()) reader.read(item, at)
  const system = [...instructions, ...reader.system]
  const isSaid = reader.contents.some(({ blocks }) => blocks.some(saysAnything))
  if (!isSaid && system.every(({ text }) => text === '')) {
    throw new InvalidField('input', 'no item has any content')
  }
  return { system, contents: withToolNames(reader.contents, notes) }
}

function saysAnything(block: Block): boolean {
  return block.type !== 'text' || block.text !== '' || block.original !== undefined
}

interface OpenContent extends HasOriginal {
  readonly speaker: Speaker
  readonly blocks: Block[]
}

class ItemReader {
  readonly system: SystemText[] = []
  readonly contents: OpenContent[] = []
  readonly #kinds: ToolKinds
  readonly #notes: Notes

  constructor(kinds: ToolKinds, notes: Notes) {
    this.#kinds = kinds
    this.#notes = notes
  }

  read(item: JsonObject, at: number): void {
    const type = item['type'] ?? 'message'
    const path = `input[${at}]`
    const called = callKindOf(item)
    if (called !== null) {
      this.#goOn('ai', [decodeCall(item, called, this.#kinds, path, this.#notes)])
      return
    }
    const answered = outputKindOf(item)
    if (answered !== null) {
      const output = decodeOutput(item, answered, this.#kinds, path, at, this.#notes)
      if (output.is === 'result') this.#goOn('tool', [output.block])
      else this.contents.push({ speaker: 'human', blocks: output.blocks })
      return
    }
    switch (type) {
      case 'message':
        this.#message(item, at, path)
        break
      case 'reasoning': {
        const thought = decodeReasoning(item)
        if (thought !== null) this.#goOn('ai', [thought])
        break
      }
      case 'additional_tools':
        this.system.push(withOriginal({ text: '' }, 'openai-responses', wholeItem(item, at)))
        break
      case 'configuration_update':
        // The effort in it is read with the settings.
        break
      case 'item_reference':
        this.#notes.dropped(path, 'It stands for an item that a server has kept, and nothing is kept here.')
        break
      case 'agent_message':
        this.#agentMessage(item, at, path)
        break
      case 'compaction':
      case 'compaction_summary':
      case 'context_compaction':
        this.#compaction(item, at)
        break
      case 'compaction_trigger':
        // Also for a server that knows the item: whoever is asked writes a summary that every model can read.
        this.contents.push({ speaker: 'human', blocks: [{ type: 'text', text: summaryWish }] })
        break
      default:
        this.#other(item, at)
    }
  }

  #message(item: JsonObject, at: number, path: string): void {
    const { role = 'user', content } = item
    if (typeof role !== 'string') throw new InvalidField(`${path}.role`, 'must be a string')
    if (role === 'system' || role === 'developer') {
      if (this.contents.length === 0) this.system.push(...systemTextsOf(item, at, path))
      else this.#instructionsInside(item, path)
      return
    }
    const blocks = decodeParts(content, `${path}.content`, this.#notes, (part) =>
      messageOriginal(item, at, part),
    )
    if (blocks.length === 0) return
    if (role === 'assistant') this.#goOn('ai', blocks)
    else this.contents.push({ speaker: 'human', blocks: [...blocks] })
  }

  #instructionsInside(item: JsonObject, path: string): void {
    const texts = decodeParts(item['content'], `${path}.content`, this.#notes).flatMap((block) =>
      block.type === 'text' && block.text !== '' ? [block.text] : [],
    )
    if (texts.length === 0) return
    const blocks = [systemReminder(texts.join('\n\n'))]
    const value = otherFields(item, unsaidFields)
    this.contents.push(withOriginal({ speaker: 'human', blocks }, 'openai-responses', value))
  }

  #agentMessage(item: JsonObject, at: number, path: string): void {
    const { author, recipient, content } = item
    const [from, to] = [nonEmptyText(author) ?? 'an agent', nonEmptyText(recipient)]
    const label: Block = { type: 'text', text: `Message of ${from}${to === null ? '' : ` to ${to}`}:` }
    const value = wholeItem(item, at)
    const blocks = [label, ...decodeParts(content, `${path}.content`, this.#notes)]
    this.contents.push({
      speaker: 'human',
      blocks: blocks.map((block) => withOriginal(block, 'openai-responses', value)),
    })
  }

  /** A summary of ours says in words what it stands for. Somebody else's can only be read by who made it. */
  #compaction(item: JsonObject, at: number): void {
    const summary = readCompaction(nonEmptyText(item['encrypted_content']) ?? undefined)
    if (summary === null) this.#other(item, at)
    else this.contents.push({ speaker: 'human', blocks: [{ type: 'text', text: summary }] })
  }

  /** What is unknown elsewhere has no text, but where it holds the result of a tool that its server ran. */
  #other(item: JsonObject, at: number): void {
    const text = resultTextOf(item)
    const block = withOriginal<Block>({ type: 'text', text }, 'openai-responses', wholeItem(item, at))
    const last = this.contents.at(-1)
    if (last?.speaker === 'ai' || text !== '') this.#goOn('ai', [block])
    else this.contents.push({ speaker: 'human', blocks: [block] })
  }

  #goOn(speaker: 'ai' | 'tool', blocks: readonly Block[]): void {
    const last = this.contents.at(-1)
    if (last?.speaker === speaker) last.blocks.push(...blocks)
    else this.contents.push({ speaker, blocks: [...blocks] })
  }
}

const unsaidFields = new Set(['type', 'id', 'status', 'phase'])
