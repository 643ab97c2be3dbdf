import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { usageError } from '../terminal/cli-error.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import type { ChatView } from './chat-event.ts'
import type { ChatOptions } from './chat-options.ts'
import { ModelChoices } from './model/model-choice.ts'
import { findResumed } from './resume.ts'
import { Session } from './session.ts'
import { ConversationFile } from './store/conversation-file.ts'
import { ConversationFolder } from './store/conversation-folder.ts'
import { describeLoad, firstLine } from './store/conversation-lines.ts'
import { WorkFolder } from './tools/work-folder.ts'

/** A new or resumed conversation, with what it needs. */
export interface Setup {
  readonly session: Session
  readonly choices: ModelChoices
  readonly folder: WorkFolder
  readonly conversations: ConversationFolder
  readonly newFile: () => ConversationFile
  readonly fileAt: (path: string) => ConversationFile
}

export async function prepareSession(
  options: ChatOptions,
  upstreams: Upstreams,
  view: ChatView,
  places: { readonly cwd: string; readonly state: string },
): Promise<Setup> {
  const folder = await WorkFolder.open(places.cwd)
  const conversations = new ConversationFolder(join(places.state, 'conversations'))
  const choices = new ModelChoices(options.config, upstreams)
  const fileAt = (path: string): ConversationFile =>
    new ConversationFile(path, firstLine(new Date(), folder.path))
  const newFile = (): ConversationFile =>
    fileAt(conversations.newPath(new Date(), randomBytes(2).toString('hex')))
  const resumed =
    options.resume === undefined ? undefined : await findResumed(options.resume.name, folder, conversations)
  const model = await chooseModel(options.model, resumed?.stored.model ?? null, choices, view)
  const ownPath = resumed?.path ?? null
  const store = {
    file: ownPath === null ? newFile() : fileAt(ownPath),
    onFault: (message: string) => view.show({ type: 'note', message }),
  }
  const session = new Session(model, store, ownPath === null ? [] : resumed?.stored.contents)
  session.toolFormat = options.toolFormat
  if (resumed !== undefined) {
    if (ownPath === null) await session.adopt(resumed.stored.contents)
    const { faults, summary } = describeLoad(resumed.name, resumed.stored)
    for (const message of [...faults, summary]) view.show({ type: 'note', message })
  }
  return { session, choices, folder, conversations, newFile, fileAt }
}

/**
 * Chooses the model that was named; otherwise the model of the resumed conversation, if it exists; otherwise the
 * usual one.
 */
async function chooseModel(
  named: string | undefined,
  last: string | null,
  choices: ModelChoices,
  view: ChatView,
): Promise<string> {
  if (named === undefined && last !== null) {
    const choice = await choices.choose(last)
    if (choice.is !== 'unknown') return choice.name
  }
  const choice = await (named === undefined ? choices.usual() : choices.choose(named))
  if (choice.is === 'unknown') throw usageError(choice.message, 'See dragoman chat --help')
  if (choice.is === 'unlisted') {
    // A model that the configuration names is meant, even if the upstream does not list it. A name that was typed may
    // be a mistake.
    if (named !== undefined) throw usageError(choice.message, `--model ${choice.name}! takes it all the same`)
    view.show({ type: 'note', message: `${choice.message} It is asked for all the same.` })
  }
  return choice.name
}
