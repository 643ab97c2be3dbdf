import { open, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readLines } from '../../terminal/lines.ts'
import { readConversation } from './conversation-lines.ts'

const ENDING = '.jsonl'
const MOST_LISTED = 200
const FIRST_BYTES = 4096

/** A conversation that can be gone on with. */
export interface FoundConversation {
  readonly name: string
  readonly path: string
  readonly changed: Date
}

export interface ListedConversation extends FoundConversation {
  /** Where it was had. */
  readonly folder: string | null
  /** What was said first. */
  readonly begins: string
}

/** The conversations of this user, each in a file of its own. */
export class ConversationFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** A path for a new one. `random` keeps two that begin in the same second apart. */
  newPath(now: Date, random: string): string {
    const time = now.toISOString().slice(0, 19).replaceAll(':', '-')
    return join(this.path, `${time}-${random}${ENDING}`)
  }

  /** The latest first. */
  async list(): Promise<ListedConversation[]> {
    const names = await readdir(this.path).catch(() => [])
    const files = await Promise.all(
      names.filter((name) => name.endsWith(ENDING)).map((name) => this.find(name.slice(0, -ENDING.length))),
    )
    const found = files
      .filter((file) => file !== undefined)
      .toSorted((a, b) => b.changed.getTime() - a.changed.getTime())
    return Promise.all(found.slice(0, MOST_LISTED).map(withBeginning))
  }

  /** The one of this name, which is that of its file without the ending. */
  async find(name: string): Promise<FoundConversation | undefined> {
    if (name === '' || basename(name) !== name) return undefined
    const path = join(this.path, name + ENDING)
    const found = await stat(path).catch(() => undefined)
    return found?.isFile() === true ? { name, path, changed: found.mtime } : undefined
  }
}

export function conversationName(path: string): string {
  return basename(path, ENDING)
}

async function withBeginning({ name, path, changed }: FoundConversation): Promise<ListedConversation> {
  const { folder, contents } = await readConversation(readLines(firstBytes(path)))
  const said = contents[0]?.blocks[0]
  return { name, path, changed, folder, begins: said?.type === 'text' ? said.text : '' }
}

/** Enough for the first lines; one that is cut off counts as broken, which is no matter here. */
async function* firstBytes(path: string): AsyncGenerator<Buffer> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0)
    yield buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
