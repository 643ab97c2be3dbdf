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
  /** The formats it is read as. Of several writings of one format the first is that format's usual one. */
  readonly formats: readonly FormatId[]
  /** Model names under which the simulator offers it. */
  readonly models: readonly string[]
  /** Who writes so, for people. */
  readonly title: string
}

/** The server reads the calls itself and sends them as `tool_calls`. */
interface StructuredWriting extends AnyWriting {
  readonly kind: 'structured'
}

/** The calls stand in the text. */
interface TextWriting extends AnyWriting {
  readonly kind: 'text'
  /** The grammar that detection by model name knows it under. */
  readonly grammar: string
  /** Which names mean this writing, where several share a grammar. */
  readonly releases?: RegExp
  /** `startIndex`: how many calls the conversation holds already. */
  readonly calls: (calls: readonly WrittenCall[], startIndex: number) => string
  /** No marker says that it is a call: it is the whole answer, and a word before it makes it none. */
  readonly isBare?: boolean
  /** What stands between text and calls. */
  readonly gap: string
  readonly thinking: (thought: string) => string
  /** The text that stands before calls. */
  readonly text?: (text: string) => string
  /** What ends a turn with calls. */
  readonly end?: string
}
