import { resolve } from 'node:path'
import type { Chat } from '../chat.ts'
import { loadConversation } from '../store/conversation-file.ts'
import { conversationName, type ListedConversation } from '../store/conversation-folder.ts'
import { describeLoad, type StoredConversation } from '../store/conversation-lines.ts'
import { printable, shortened } from '../../base/printable.ts'
import { type ChatCommand, CommandError } from './chat-command.ts'

const MOST_LISTED = 10

export const load: ChatCommand = {
  name: 'load',
  operand: '[NAME|FILE]',
  summary: 'go on with a stored conversation; without a name, list them',
  async run(operand, chat) {
    const stored = operand === '' ? undefined : await chat.conversations.find(operand)
    if (operand === '') chat.view.print(listing(await chat.conversations.list()))
    else if (stored !== undefined) await goOn(stored.path, chat)
    else await takeOver(resolve(chat.folder.path, operand), operand, chat)
  },
}

export const resume: ChatCommand = {
  name: 'resume',
  operand: '',
  summary: 'go on with the latest other conversation of this folder',
  async run(_operand, chat) {
    const list = await chat.conversations.list()
    const latest = list.find(({ folder, path }) => folder === chat.folder.path && path !== chat.session.path)
    if (latest === undefined) throw new CommandError('There is no other conversation in this folder.')
    await goOn(latest.path, chat)
  },
}

/** Resumes a conversation of ours, in its own file. */
async function goOn(path: string, chat: Chat): Promise<void> {
  const stored = await read(path, conversationName(path))
  await chat.session.replace(chat.fileAt(path), stored.contents)
  tell(conversationName(path), stored, chat)
}

/** Reads a file that is not ours and leaves it alone. Its conversation goes on in a new file of ours. */
async function takeOver(path: string, name: string, chat: Chat): Promise<void> {
  const stored = await read(path, name)
  await chat.session.replace(chat.newFile(), [])
  await chat.session.adopt(stored.contents)
  tell(name, stored, chat)
}

async function read(path: string, name: string): Promise<StoredConversation> {
  const stored = await loadConversation(path).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const reason =
      code === 'ENOENT' ? 'there is no such conversation or file; /load lists them' : String(error)
    throw new CommandError(`${name} was not loaded: ${reason}`)
  })
  if (stored.contents.length > 0) return stored
  throw new CommandError(`${name} was not loaded: there is no conversation in it.`)
}

function tell(name: string, stored: StoredConversation, { view }: Chat): void {
  const { faults, summary } = describeLoad(name, stored)
  for (const message of faults) view.show({ type: 'note', message })
  view.print(summary)
}

function listing(list: readonly ListedConversation[]): string {
  if (list.length === 0) return 'No conversation is stored.'
  const rows = list
    .slice(0, MOST_LISTED)
    .map(({ name, folder, begins }) => printable(`  ${name}  ${folder ?? ''}  ${shortened(begins, 40)}`))
  const more = list.length - rows.length
  return [...rows, ...(more > 0 ? [`  and ${more} more`] : []), '/load NAME goes on with one.'].join('\n')
}
