import type { Content, FormatId } from '@dragoman/core'
import type { KeptAnswer } from './model/ask-model.ts'
import type { ConversationFile } from './store/conversation-file.ts'

/** Where a session is stored. */
export interface SessionStore {
  readonly file: ConversationFile
  /** Is called once, when the conversation cannot be stored any more. */
  readonly onFault: (message: string) => void
}

/** One conversation: the canonical history, which belongs to no model, and the model that answers next. */
export class Session {
  model: string
  /** The format that the user chose, or null where the configuration decides. */
  toolFormat: FormatId | 'auto' | null = null
  usesTools = true
  /** The answers since the user last spoke, as they came and as they were understood. */
  answers: readonly KeptAnswer[] = []
  private history: readonly Content[]
  private store: SessionStore
  private hasFault = false

  constructor(model: string, store: SessionStore, history: readonly Content[] = []) {
    this.model = model
    this.store = store
    this.history = history
  }

  get contents(): readonly Content[] {
    return this.history
  }

  get path(): string {
    return this.store.file.path
  }

  /** Adds to the history and stores it at once, so that no crash loses what was said. */
  async add(content: Content): Promise<void> {
    this.history = [...this.history, content]
    try {
      await this.store.file.append({ type: 'content', model: this.model, ...content })
    } catch (error) {
      if (!this.hasFault) {
        const reason = error instanceof Error ? error.message : String(error)
        this.store.onFault(`This conversation cannot be stored: ${reason}`)
      }
      this.hasFault = true
    }
  }

  /** Copies a history into this conversation, and stores it. */
  async adopt(contents: readonly Content[]): Promise<void> {
    await contents.reduce((before, content) => before.then(() => this.add(content)), Promise.resolve())
  }

  /** Switches to another conversation. The current one stays stored. */
  async replace(file: ConversationFile, history: readonly Content[]): Promise<void> {
    await this.close()
    this.store = { ...this.store, file }
    this.history = history
    this.answers = []
    this.hasFault = false
  }

  async close(): Promise<void> {
    await this.store.file.close().catch(() => undefined)
  }
}
