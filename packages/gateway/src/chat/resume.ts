import { resolve } from 'node:path'
import { failure } from '../terminal/cli-error.ts'
import { loadConversation } from './store/conversation-file.ts'
import { conversationName, type ConversationFolder } from './store/conversation-folder.ts'
import type { StoredConversation } from './store/conversation-lines.ts'
import type { WorkFolder } from './tools/work-folder.ts'

export interface Resumed {
  readonly name: string
  /** The file in which the conversation goes on; null for a file that is not ours, which is read and left alone. */
  readonly path: string | null
  readonly stored: StoredConversation
}

/** Finds the conversation to resume: the one of this name or path, or the latest one that was had in this folder. */
export async function findResumed(
  name: string | undefined,
  folder: WorkFolder,
  conversations: ConversationFolder,
): Promise<Resumed> {
  const own =
    name === undefined ? await latest(folder, conversations) : (await conversations.find(name))?.path
  const path = own ?? resolve(folder.path, name ?? '')
  const stored = await loadConversation(path).catch((error: unknown) => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const reason = isMissing ? 'there is no such conversation or file' : String(error)
    throw failure(`cannot go on with ${name ?? path}: ${reason}`, error)
  })
  return { name: conversationName(path), path: own ?? null, stored }
}

async function latest(folder: WorkFolder, conversations: ConversationFolder): Promise<string> {
  const list = await conversations.list()
  const found = list.find((each) => each.folder === folder.path)
  if (found !== undefined) return found.path
  const [other] = list
  const hint = other === undefined ? '' : `; the latest elsewhere is ${other.name}, in ${other.folder ?? '?'}`
  throw failure(`there is no conversation in ${folder.path} to go on with${hint}`)
}
