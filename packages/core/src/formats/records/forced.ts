import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
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

/** The same formats, the first of them also with JSON that no marker announces: so servers write calls that they force. */
export function withForcedJson(formats: readonly Format[]): readonly Format[] {
  const [first, ...others] = formats
  if (first === undefined || first.salvage.includes(bareJson)) return formats
  let known = forced.get(formats)
  if (known === undefined) {
    known = [{ ...first, salvage: [...first.salvage, bareJson] }, ...others]
    forced.set(formats, known)
  }
  return known
}

/** One list for each: what is built from it is kept with it. */
const forced = new WeakMap<readonly Format[], readonly Format[]>()
