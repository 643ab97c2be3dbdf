import { open, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readLines } from '../../terminal/lines.ts'
import { readConversation } from './conversation-lines.ts'

const ENDING = '.jsonl'
const MOST_LISTED = 200
const FIRST_BYTES = 4096

/** A conversation that can be resumed. */
export interface FoundConversation {
  readonly name: string
  readonly path: string
  readonly changed: Date
}

export interface ListedConversation extends FoundConversation {
  /** The folder in which the conversation was had. */
  readonly folder: string | null
  /** The first words of the conversation. */
  readonly begins: string
}

/** The conversations of this user, each in a file of its own. */
export class ConversationFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Makes the path of a new conversation. `random` tells two apart that begin in the same second. */
  newPath(now: Date, random: string): string {
    const time = now.toISOString().slice(0, 19).replaceAll(':', '-')
    return join(this.path, `${time}-${random}${ENDING}`)
  }

  /** Lists the conversations, the latest first. */
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

  /** Finds a conversation by its name, which is the name of its file without the extension. */
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

/** Reads enough for the first lines. A line that is cut off counts as broken, which does not matter here. */
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
