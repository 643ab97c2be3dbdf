/**
 * The canonical history: it belongs to no provider. Every dialect decodes into it and encodes from it.
 * Tool ids in it are `hist_tool_…`; `ids/` makes each upstream's own ids from the whole history.
 */
export type Speaker = 'human' | 'ai' | 'tool'

export interface Content {
  readonly speaker: Speaker
  readonly blocks: readonly Block[]
}

export type Block = TextBlock | ThinkingBlock | ToolCallBlock | ToolResponseBlock | MediaBlock

export interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly thought: string
  readonly signature?: string
}

export interface ToolCallBlock {
  readonly type: 'tool_call'
  readonly id: string
  readonly name: string
  readonly parameters: unknown
}

export interface ToolResponseBlock {
  readonly type: 'tool_response'
  readonly callId: string
  readonly toolName: string
  readonly result: unknown
  readonly isError?: boolean
}

export interface MediaBlock {
  readonly type: 'media'
  readonly mimeType: string
  /** Base64 data or an address. */
  readonly data: string
  readonly encoding: 'base64' | 'url'
  readonly filename?: string
}
