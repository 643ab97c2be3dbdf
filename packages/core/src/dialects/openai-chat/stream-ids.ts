import type { FormatId } from '../../formats/format-id.ts'
import { mintToolId } from '../../ids/mint.ts'

/** The tool ids of one stream: none is minted that the conversation or the stream has shown. */
export class StreamIds {
  private readonly seen: Set<string>
  private readonly conversation: ReadonlySet<string>
  private readonly newId: () => string

  constructor(newId: () => string, conversation: ReadonlySet<string>) {
    this.newId = newId
    this.conversation = conversation
    this.seen = new Set(conversation)
  }

  see(id: string): void {
    this.seen.add(id)
  }

  isInConversation(id: string): boolean {
    return this.conversation.has(id)
  }

  /** `std` for a call that came structured. */
  mint(format: FormatId | 'std'): string {
    const id = mintToolId({ dialect: 'openai-chat', format, newId: this.newId, taken: this.seen })
    this.seen.add(id)
    return id
  }
}
