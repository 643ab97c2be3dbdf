import type { Block, Content, HasOriginal, ThinkingBlock } from '../conversation.ts'
import { templateOf, type WholeTemplate } from '../formats/template.ts'
import { getToolIdStrategy } from '../ids/strategies.ts'
import type { ToolIdMapper } from '../ids/strategy.ts'
import { repairHistory, type MessagesInARow } from './history-repair.ts'
import { reasoningAsText, reasoningFate } from './reasoning-policy.ts'
import { notUnderstood, type Notes } from './notes.ts'
import type { RequestTarget } from './target.ts'
import { becameReminder, originalInstructions } from './instructions.ts'
import type { ToolNames } from './tools.ts'
import { originalFor } from './original.ts'

export interface UpstreamHistory {
  readonly contents: readonly Content[]
  readonly ids: ToolIdMapper
}

/** What has to be known of the dialect that a history will be written in. */
export interface HistoryDialect {
  readonly id: string
  /**
   * `signed`: reasoning stands beside the signature of whoever wrote it. `encrypted`: beside what only its vendor can read,
   * or without it.
   */
  readonly reasoning: 'signed' | 'unsigned' | 'encrypted'
  /** Whether the messages of a client of the same dialect may stay apart where one role has several in a row. */
  readonly inARow: MessagesInARow
}

/** The history as this upstream is sent it: what it may see, repaired, and the ids in its style. */
export function upstreamHistory(
  contents: readonly Content[],
  target: RequestTarget,
  dialect: HistoryDialect,
  names: ToolNames,
  notes: Notes,
): UpstreamHistory {
  const view = new UpstreamView(target, dialect, names, notes)
  const visible: Content[] = []
  for (const content of contents) {
    const shown = view.contentFor(content)
    if (shown !== null) visible.push(shown)
  }
  const repaired = repairHistory(visible, notes, messagesInARow(visible, target, dialect, notes))
  return { contents: repaired, ids: getToolIdStrategy(target.format).createMapper(repaired) }
}

/** Messages of a client of the same dialect stay apart, unless the template refuses two of one role in a row. */
function messagesInARow(
  contents: readonly Content[],
  { sameDialect, format }: RequestTarget,
  { inARow }: HistoryDialect,
  notes: Notes,
): MessagesInARow {
  if (sameDialect !== true || inARow === 'join') return 'join'
  if (templateOf(format).turns === 'any') return 'keep'
  const isJoined = contents.some(
    ({ speaker }, at) => speaker !== 'tool' && speaker === contents[at - 1]?.speaker,
  )
  if (isJoined) notes.changed('messages', 'Messages of one role in a row became one.')
  return 'join'
}

/** Leaves out or changes what one upstream must not see. Blocks and contents that need no change are not copied. */
class UpstreamView {
  readonly #target: RequestTarget
  readonly #template: WholeTemplate
  readonly #dialect: HistoryDialect
  readonly #names: ToolNames
  readonly #notes: Notes

  constructor(target: RequestTarget, dialect: HistoryDialect, names: ToolNames, notes: Notes) {
    this.#target = target
    this.#template = templateOf(target.format)
    this.#dialect = dialect
    this.#names = names
    this.#notes = notes
  }

  contentFor(content: Content): Content | null {
    const { speaker, original } = content
    const isOwn = this.#isOwn(content)
    if (originalInstructions(content) !== undefined) {
      if (isOwn && this.#template.system === 'anywhere') return content
      return this.#reminderFor(content)
    }
    if (content.blocks.length === 0) {
      return isOwn && this.#template.turns === 'any' ? content : null
    }
    if (original !== undefined && !isOwn) this.#notes.droppedFields(original.value, notUnderstood)
    const blocks = this.#blocksFor(content.blocks)
    const form = isOwn && blocks.length > 0 ? original : undefined
    if (blocks === content.blocks && form === original) return content
    return form === undefined ? { speaker, blocks } : { speaker, blocks, original: form }
  }

  #reminderFor({ speaker, blocks, original }: Content): Content | null {
    if (blocks.length === 0) return null
    this.#notes.changed('messages', becameReminder)
    if (original !== undefined) this.#notes.droppedFields(original.value, notUnderstood)
    return { speaker, blocks }
  }

  #blocksFor(blocks: readonly Block[]): readonly Block[] {
    let changed: Block[] | undefined
    for (const [at, block] of blocks.entries()) {
      const shown = this.#blockFor(block)
      if (shown !== block) changed ??= blocks.slice(0, at)
      if (shown !== null) changed?.push(shown)
    }
    return changed ?? blocks
  }

  #blockFor(block: Block): Block | null {
    switch (block.type) {
      case 'text': {
        if (block.text !== '') return block
        const type = block.original?.value['type']
        const isSilent = type === 'text' && this.#template.turns === 'alternate'
        if (this.#isOwn(block) && !isSilent) return block
        const kind = typeof type === 'string' ? `of type ${type}` : kindOfPart(block)
        if (kind !== null && type !== 'text') {
          this.#notes.dropped('messages', `A block ${kind} means nothing to the upstream.`)
        }
        return null
      }
      case 'thinking':
        return this.#reasoningFor(block)
      case 'tool_call': {
        const name = this.#names.toUpstream(block.name)
        return name === block.name ? block : { ...block, name }
      }
      case 'tool_response': {
        const toolName = block.toolName === '' ? '' : this.#names.toUpstream(block.toolName)
        return toolName === block.toolName ? block : { ...block, toolName }
      }
      case 'media':
        return block
    }
  }

  #reasoningFor(block: ThinkingBlock): Block | null {
    const fate = reasoningFate(block, this.#target, this.#dialect.reasoning)
    if (fate === 'native') return block
    const reason = 'Reasoning of another family of models, or without its proof, is not for this upstream.'
    if (fate === 'drop') this.#notes.dropped('messages', reason)
    else this.#notes.changed('messages', `${reason} It became text.`)
    return fate === 'text' ? reasoningAsText(block.thought) : null
  }

  /** Whether the client spoke the dialect of the upstream. */
  #isOwn(thing: HasOriginal): boolean {
    return originalFor(this.#target, thing, this.#dialect.id) !== undefined
  }
}

/** A part of a dialect whose parts have no types is told by its fields. Null for one that is an empty text. */
function kindOfPart({ original }: HasOriginal): string | null {
  if (original === undefined || original.value['text'] === '') return null
  return `with ${Object.keys(original.value).join(', ')}`
}
