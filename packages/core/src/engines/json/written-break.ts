import { skipSpace } from '../../text/space.ts'
import type { EngineContext } from '../engine.ts'

/**
 * Passes over white space, and over a line break behind it that is written as a backslash and a letter: who escaped the
 * whole call once too often has escaped its layout too. With a word behind it, as in `\newpage`, it is none. `more`: the
 * text ends first.
 */
export function passWrittenBreak({ input, writer }: EngineContext): 'more' | 'passed' | 'none' {
  input.at = skipSpace(input.text, input.at)
  if (input.isEmpty) return 'more'
  const ahead = input.text.slice(input.at, input.at + 3)
  if (!ahead.startsWith('\\')) return 'none'
  if (ahead.length < 3 && !input.final) return 'more'
  if (!/^\\[nrt](?!\w)/.test(ahead)) return 'none'
  input.at += 2
  writer.removed('invalid-escape', 2)
  return 'passed'
}
