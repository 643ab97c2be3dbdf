import type { Block, Content, ToolResponseBlock } from '../../../conversation.ts'
import { hasOnly, InvalidField, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import { withToolNames } from '../../../request/history-repair.ts'
import type { Notes } from '../../../request/notes.ts'
import { CallIds } from './call-ids.ts'
import { decodeStep } from './model-parts.ts'
import { decodeShown, type PlacedPart } from './parts.ts'
import { decodeResponse } from './results.ts'
import { camelCased } from '../spelling.ts'

/** Reads the conversation. Contents of one role in a row are read as one. */
export function decodeContents(value: unknown, notes: Notes): Content[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new InvalidField('contents', 'must be an array of at least one content')
  }
  const turns = turnsOf(value)
  const ids = new CallIds(givenIds(turns))
  const contents = turns.flatMap((turn) =>
    turn.role === 'model' ? modelContents(turn, ids) : userContents(turn, ids),
  )
  if (contents.every(({ blocks }) => blocks.length === 0)) {
    throw new InvalidField('contents', 'no content says anything')
  }
  const said = contents.filter((content) => content.blocks.length > 0 || 'original' in content)
  return withToolNames(said, notes)
}

interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: PlacedPart[]
  /** What the contents have beside role and parts. */
  readonly fields: Record<string, unknown>
}

function turnsOf(values: readonly unknown[]): Turn[] {
  const turns: Turn[] = []
  for (const [at, value] of values.entries()) {
    const path = `contents[${at}]`
    const content = camelCased(requiredObject(value, path))
    const role = roleOf(content['role'], path)
    const last = turns.at(-1)
    const turn = last?.role === role ? last : { role, parts: [], fields: {} }
    if (turn !== last) turns.push(turn)
    turn.parts.push(...partsOf(content['parts'], path))
    if (!hasOnly(content, contentFields)) {
      const { role: _, parts: __, ...others } = content
      Object.assign(turn.fields, others)
    }
  }
  return turns
}

const contentFields = new Set(['role', 'parts'])

/** What no role is given for is the user's. The results of tools had a role of their own once. */
function roleOf(value: unknown, path: string): 'user' | 'model' {
  const role = typeof value === 'string' ? value.toLowerCase() : (value ?? '')
  if (role === 'model') return 'model'
  if (role === 'user' || role === 'function' || role === '') return 'user'
  throw new InvalidField(`${path}.role`, 'must be "user" or "model"')
}

function partsOf(value: unknown, path: string): PlacedPart[] {
  const parts: unknown = value ?? []
  if (!Array.isArray(parts)) throw new InvalidField(`${path}.parts`, 'must be an array of parts')
  return parts.map((part: unknown, at) => {
    const place = `${path}.parts[${at}]`
    return { part: camelCased(requiredObject(part, place)), path: place }
  })
}

function givenIds(turns: readonly Turn[]): Set<string> {
  const ids = new Set<string>()
  for (const { parts } of turns) {
    for (const { part } of parts) {
      const named = part['functionCall'] ?? part['functionResponse']
      const id = isJsonObject(named) ? nonEmptyText(named['id']) : null
      if (id !== null) ids.add(id)
    }
  }
  return ids
}

function modelContents({ parts, fields }: Turn, ids: CallIds): Content[] {
  ids.beginStep()
  return [withFields('ai', decodeStep(parts, ids), fields)]
}

/** The results come first, because nothing may stand between a call and its result. */
function userContents({ parts, fields }: Turn, ids: CallIds): Content[] {
  const results = parts.filter(({ part }) => isJsonObject(part['functionResponse']))
  const responses = results.map(({ part, path }) => decodeResponse(part, path))
  const callIds = ids.answer(responses.map(({ id, block }) => ({ id, name: block.toolName })))
  const answers = responses.map(({ block }, at) => answering(block, callIds[at] ?? ''))
  const spoken = parts.filter((each) => !results.includes(each)).flatMap(userBlocks)
  const said = withFields('human', spoken, fields)
  if (answers.length === 0) return [said]
  const isSilent = spoken.length === 0 && said.original === undefined
  return [{ speaker: 'tool', blocks: answers }, ...(isSilent ? [] : [said])]
}

function answering(block: ToolResponseBlock, callId: string): ToolResponseBlock {
  return { ...block, callId }
}

function userBlocks({ part, path }: PlacedPart): Block[] {
  if (isJsonObject(part['functionCall'])) throw new InvalidField(path, 'a user cannot call a function')
  return decodeShown(part, path)
}

function withFields(speaker: 'human' | 'ai', blocks: readonly Block[], fields: JsonObject): Content {
  if (Object.keys(fields).length === 0) return { speaker, blocks }
  return { speaker, blocks, original: { dialect: 'gemini', value: fields } }
}
