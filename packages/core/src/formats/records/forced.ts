import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import { madeOnce } from '../../text/made-once.ts'
import type { Format } from '../format.ts'
import { bareJson } from './common.ts'

/** A server that forces a call of one tool makes the model write its arguments, and nothing else. */
export const forcedArguments: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'forced-arguments',
  isSpecial: false,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [],
  separator: [],
  callEnd: [],
  header: {},
}

/**
 * The same formats, the first of them also with JSON that no marker announces: so servers write calls that they force. One
 * list for each: what is built from it is kept with it.
 */
export const withForcedJson = madeOnce((formats: readonly Format[]): readonly Format[] => {
  const [first, ...others] = formats
  if (first === undefined || first.salvage.includes(bareJson)) return formats
  return [{ ...first, salvage: [...first.salvage, bareJson] }, ...others]
})
