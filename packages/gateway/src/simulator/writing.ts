import type { FormatId } from '@dragoman/core'
import type { JsonObject } from './json.ts'

export interface WrittenCall {
  readonly name: string
  readonly arguments: JsonObject
}

/** How one release of a model family writes its answers. */
export type Writing = StructuredWriting | TextWriting

interface AnyWriting {
  readonly id: string
  /** The formats in which it is read. The first writing of a format is its usual one. */
  readonly formats: readonly FormatId[]
  /** The model names under which the simulator offers it. */
  readonly models: readonly string[]
  /** Says who writes so, for people. */
  readonly title: string
}

/** The server of such a model reads the calls itself and sends them as `tool_calls`. */
interface StructuredWriting extends AnyWriting {
  readonly kind: 'structured'
}

/** Such a model writes its calls as text. */
interface TextWriting extends AnyWriting {
  readonly kind: 'text'
  /** The grammar under which the detection by model name knows it. */
  readonly grammar: string
  /** The names that mean this writing, where several writings share a grammar. */
  readonly releases?: RegExp
  /** `startIndex` is the number of calls that the conversation has already. */
  readonly calls: (calls: readonly WrittenCall[], startIndex: number) => string
  /**
   * Whether no marker surrounds the calls. They are then the whole answer, and any text before them turns them into
   * text.
   */
  readonly isBare?: boolean
  /** The characters between text and calls. */
  readonly gap: string
  readonly thinking: (thought: string) => string
  /** Writes the text before calls. */
  readonly text?: (text: string) => string
  /** The end of a turn with calls. */
  readonly end?: string
}
