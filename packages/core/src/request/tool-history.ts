import type { Speaker, ToolCallBlock, ToolResponseBlock } from '../conversation.ts'
import type { FormatId } from '../formats/format-id.ts'
import { getToolIdStrategy } from '../ids/strategies.ts'

/** Where one kind of message has the ids of tool calls. */
export interface ToolIdPlaces<Message> {
  isOfModel(message: Message): boolean
  /** The calls and results of a message, in order. */
  blocksIn(message: Message): readonly ToolBlock[]
  /** The message with these ids, one for each of its blocks. */
  withIds(message: Message, ids: readonly string[]): Message
}

type ToolBlock = ToolCallBlock | ToolResponseBlock

/** The tool ids of a history as its client wrote it. */
export class ToolHistory<Message> {
  readonly #messages: readonly Message[]
  readonly #places: ToolIdPlaces<Message>
  readonly #contents: readonly { readonly speaker: Speaker; readonly blocks: readonly ToolBlock[] }[]

  constructor(messages: readonly Message[], places: ToolIdPlaces<Message>) {
    this.#messages = messages
    this.#places = places
    this.#contents = messages.map((message) => ({
      speaker: places.isOfModel(message) ? 'ai' : 'tool',
      blocks: places.blocksIn(message),
    }))
  }

  /** In the order of the calls. */
  get callIds(): readonly string[] {
    return this.#contents.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
    )
  }

  /** The messages with the ids that upstreams of the format expect; the very objects where none changes. */
  messagesFor(format: FormatId): readonly Message[] {
    const mapper = getToolIdStrategy(format).createMapper(this.#contents)
    return this.#messages.map((message, at) => {
      const blocks = this.#contents[at]?.blocks ?? []
      const ids = blocks.map((block) =>
        block.type === 'tool_call' ? mapper.resolveToolCallId(block) : mapper.resolveToolResponseId(block),
      )
      return blocks.every((block, index) => idOf(block) === ids[index])
        ? message
        : this.#places.withIds(message, ids)
    })
  }
}

function idOf(block: ToolBlock): string {
  return block.type === 'tool_call' ? block.id : block.callId
}
