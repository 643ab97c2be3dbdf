/**
 * The canonical history: it belongs to no provider. Every dialect decodes into it and encodes from it.
 * Tool ids in it are `hist_tool_…`; `ids/` makes each upstream's own ids from the whole history.
 */
export type Speaker = 'human' | 'ai' | 'tool'

/** Whatever is decoded from a client's request can say what it looked like there. */
export interface HasOriginal {
  /**
   * The client's own form, or what of it the canonical one does not tell. An upstream that speaks the same dialect is
   * sent this again, with the fields that have no place here; every other dialect goes by the canonical form.
   */
  readonly original?: {
    /** A conversation may be kept, and read again by a version that knows other dialects. */
    readonly dialect: string
    readonly value: Readonly<Record<string, unknown>>
  }
}

export interface Content extends HasOriginal {
  readonly speaker: Speaker
  readonly blocks: readonly Block[]
}

export type Block = TextBlock | ThinkingBlock | ToolCallBlock | ToolResponseBlock | MediaBlock

export interface TextBlock extends HasOriginal {
  readonly type: 'text'
  readonly text: string
}

export interface ThinkingBlock extends HasOriginal {
  readonly type: 'thinking'
  readonly thought: string
  readonly signature?: string
}

export interface ToolCallBlock extends HasOriginal {
  readonly type: 'tool_call'
  readonly id: string
  readonly name: string
  readonly parameters: unknown
}

export interface ToolResponseBlock extends HasOriginal {
  readonly type: 'tool_response'
  readonly callId: string
  readonly toolName: string
  readonly result: unknown
  readonly isError?: boolean
}

export interface MediaBlock extends HasOriginal {
  readonly type: 'media'
  readonly mimeType: string
  /** Base64 data or an address. */
  readonly data: string
  readonly encoding: 'base64' | 'url'
  readonly filename?: string
}
