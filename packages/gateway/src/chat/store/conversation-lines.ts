import type { Content } from '@dragoman/core'
import type { Line } from '../../terminal/lines.ts'
import { readStoredContent } from './stored-content.ts'

const VERSION = 1

/** One line of a conversation file. */
export type StoredLine =
  /** The first line. `folder` is where the tools worked. */
  | {
      readonly type: 'conversation'
      readonly version: number
      readonly started: string
      readonly folder: string
    }
  /** A content of the history, and the model that it was said to or by. */
  | ({ readonly type: 'content'; readonly model: string } & Content)

export interface StoredConversation {
  readonly contents: readonly Content[]
  /** The last model of the conversation. */
  readonly model: string | null
  readonly folder: string | null
  /** The lines that could not be read. */
  readonly faults: readonly LineFault[]
}

export interface LineFault {
  /** Counted from 1. */
  readonly line: number
  readonly message: string
}

export function firstLine(started: Date, folder: string): StoredLine {
  return { type: 'conversation', version: VERSION, started: started.toISOString(), folder }
}

/** Reads the lines that can be read. A broken line does not affect the others. */
export async function readConversation(lines: AsyncIterable<Line>): Promise<StoredConversation> {
  const contents: Content[] = []
  const faults: LineFault[] = []
  let model: string | null = null
  let folder: string | null = null
  for await (const { number, text } of lines) {
    if (text !== null && text.trim() === '') continue
    const read = text === null ? 'it is too long' : readLine(text)
    if (typeof read === 'string') {
      faults.push({ line: number, message: read })
    } else if (read.type === 'conversation') {
      folder ??= read.folder
    } else {
      contents.push({ speaker: read.speaker, blocks: read.blocks })
      if (read.model !== '') model = read.model
    }
  }
  return { contents, model, folder, faults }
}

/** Returns the line, or a text that says what is wrong with it. */
function readLine(text: string): StoredLine | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is not JSON, perhaps cut off'
  }
  if (typeof value !== 'object' || value === null) return 'it is no JSON object'
  const fields: Readonly<Record<string, unknown>> = { ...value }
  if (fields['type'] === 'conversation') {
    const { version, started, folder } = fields
    if (version !== VERSION)
      return `it is of version ${String(version)}; this program knows version ${VERSION}`
    return { type: 'conversation', version, started: String(started), folder: String(folder) }
  }
  if (fields['type'] !== 'content')
    return `there are no lines of type ${JSON.stringify(fields['type'] ?? null)}`
  const content = readStoredContent(value)
  if (typeof content === 'string') return content
  return { type: 'content', model: typeof fields['model'] === 'string' ? fields['model'] : '', ...content }
}

const MOST_FAULTS = 10

/** Describes a conversation that was loaded: its faults, then its length. */
export function describeLoad(
  name: string,
  { contents, faults }: StoredConversation,
): { readonly faults: readonly string[]; readonly summary: string } {
  const told = faults
    .slice(0, MOST_FAULTS)
    .map(({ line, message }) => `${name}, line ${line}: ${message}; left out.`)
  const more = faults.length - told.length
  const human = contents.filter(({ speaker }) => speaker === 'human').length
  return {
    faults: more > 0 ? [...told, `${name}: ${more} more lines are broken.`] : told,
    summary: `Going on with ${name}: ${contents.length} messages, ${human} of them yours.`,
  }
}
