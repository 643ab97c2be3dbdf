import type { Content, FormatId } from '@dragoman/core'
import type { KeptAnswer } from './model/ask-model.ts'
import type { ConversationFile } from './store/conversation-file.ts'

/** Where a session keeps what is said. */
export interface SessionStore {
  readonly file: ConversationFile
  /** Told once where the conversation cannot be stored any more. */
  readonly onFault: (message: string) => void
}

/** One conversation: the canonical history, which belongs to no model, and which model goes on with it. */
export class Session {
  model: string
  /** Set by the user; null: as the configuration says. */
  toolFormat: FormatId | 'auto' | null = null
  usesTools = true
  /** What the model wrote since the user last spoke, and what it became. */
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

  /** Adds to the history, and stores it at once: what was said is lost by no crash. */
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

  /** Takes over what was said elsewhere, and stores it here. */
  async adopt(contents: readonly Content[]): Promise<void> {
    await contents.reduce((before, content) => before.then(() => this.add(content)), Promise.resolve())
  }

  /** Goes on with another conversation. What was said so far stays where it is stored. */
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
