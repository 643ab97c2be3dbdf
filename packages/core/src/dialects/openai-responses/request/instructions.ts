import { templateOf } from '../../../formats/template.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { SystemText } from '../../../request/conversation-request.ts'
import { withoutBillingLine } from '../../../request/instructions.ts'
import { Notes } from '../../../request/notes.ts'
import { originalIn, withOriginal } from '../../../request/original.ts'
import type { ResponsesTarget } from '../../../request/target.ts'
import { decodeParts } from './parts.ts'
import { takesAllItems } from './target.ts'

const dialect = 'openai-responses'

/**
 * The original of a part of a message: the message without its content, by whose place parts of one message are known, and
 * the part. A content that was a text has no parts.
 */
export function messageOriginal(item: JsonObject, at: number, part: JsonObject | undefined): JsonObject {
  const { content: _, ...fields } = item
  const type = part?.['type'] ?? 'text'
  return { type, at, item: fields, ...(part === undefined ? {} : { part }) }
}

/** The original of what stands for a whole item that is no message. */
export function wholeItem(item: JsonObject, at: number): JsonObject {
  return { type: item['type'], at, item }
}

export function instructionsText(instructions: string | undefined): SystemText[] {
  if (instructions === undefined || instructions === '') return []
  return [withOriginal({ text: instructions }, dialect, { instructions })]
}

/** A message of instructions in front of the conversation. */
export function systemTextsOf(item: JsonObject, at: number, path: string): SystemText[] {
  const blocks = decodeParts(item['content'], `${path}.content`, new Notes(), (part) =>
    messageOriginal(item, at, part),
  )
  return blocks.flatMap((block) =>
    block.type === 'text' && block.original !== undefined
      ? [{ text: block.text, original: block.original }]
      : [],
  )
}

export interface EncodedInstructions {
  readonly instructions?: string
  /** Messages of instructions in front of the conversation. */
  readonly items: readonly JsonObject[]
}

/** Writes the instructions. Those of a client of this dialect stay where they were; others become one text. */
export function encodeInstructions(
  system: readonly SystemText[],
  target: ResponsesTarget,
  notes: Notes,
): EncodedInstructions {
  const texts = target.sameDialect === true ? system : withoutBillingLine(system, notes)
  const said = texts.filter(({ text }) => text !== '')
  const isKept = takesAllItems(target) && (said.length < 2 || templateOf(target.format).system === 'anywhere')
  if (isKept) return asTheyCame(texts, target, notes)
  if (target.sameDialect === true && said.length > 1) {
    notes.changed('input', 'The instructions in front became one text.')
  }
  return { ...joined(said), items: takesAllItems(target) ? itemsWithoutText(texts) : [] }
}

function asTheyCame(
  system: readonly SystemText[],
  target: ResponsesTarget,
  notes: Notes,
): EncodedInstructions {
  const items: SystemItem[] = []
  const loose: SystemText[] = []
  for (const text of system) {
    const { at, item } = originalIn(text, dialect) ?? {}
    const last = items.at(-1)
    if (!isJsonObject(item)) loose.push(text)
    else if (last !== undefined && last.at === at) last.texts.push(text)
    else items.push({ at, fields: item, texts: [text] })
  }
  return { ...joined(loose), items: items.map((item) => systemItem(item, target, notes)) }
}

interface SystemItem {
  readonly at: unknown
  readonly fields: JsonObject
  readonly texts: SystemText[]
}

function systemItem({ fields, texts }: SystemItem, target: ResponsesTarget, notes: Notes): JsonObject {
  if ((fields['type'] ?? 'message') !== 'message') return fields
  return {
    type: 'message',
    ...fields,
    role: instructionsRole(fields, target, notes),
    content: contentOf(texts),
  }
}

export function instructionsRole({ role }: JsonObject, { format }: ResponsesTarget, notes: Notes): unknown {
  if (role !== 'developer' || templateOf(format).developerRole) return role
  notes.changed('input', 'The upstream knows no role "developer"; the message is one of the role "system".')
  return 'system'
}

function contentOf(texts: readonly SystemText[]): unknown {
  const parts = texts.map((text) => originalIn(text, dialect)?.['part'])
  return parts.every(isJsonObject) ? parts : texts.map(({ text }) => text).join('\n\n')
}

/** Tools that came in an item are not told in any other place. */
function itemsWithoutText(system: readonly SystemText[]): JsonObject[] {
  return system.flatMap((text) => {
    const item = originalIn(text, dialect)?.['item']
    return text.text === '' && isJsonObject(item) ? [item] : []
  })
}

function joined(system: readonly SystemText[]): { readonly instructions?: string } {
  const instructions = nonEmptyText(
    system
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n'),
  )
  return instructions === null ? {} : { instructions }
}
