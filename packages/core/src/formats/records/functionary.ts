import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { Marker } from '../../text/marker.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, speakers } from './common.ts'

/** v3.1, and what the documentation of Llama 3.1 teaches. Qwen writes tags where this has JSON. */
export const functionTag: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'functionary-v3.1',
  isSpecial: false,
  isPlain: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: ['<function='],
  separator: ['>'],
  callEnd: ['</function>'],
  header: {},
}

/** The headers of turns, as Llama 3 has them. */
export const headers: readonly Marker[] = speakers.map((role) => [
  '<|start_header_id|>',
  role,
  '<|end_header_id|>',
])

/** v3.2: every part of the answer is addressed to somebody, text to `all`. The prompt ends with the first arrow. */
const functionaryV32: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'functionary-v3.2',
  isSpecial: false,
  isPlain: true,
  sectionBegin: [],
  sectionEnd: [],
  isFirst: true,
  textName: 'all',
  callBegin: ['>>>'],
  separator: ['\n'],
  callEnd: [],
  header: {},
}

export const functionary: Format = {
  id: 'functionary',
  title: 'Functionary',
  models: ['Functionary v3.1', 'Functionary v3.2'],
  sample: '>>>get_weather\n{"city":"Paris"}',
  checked: {
    on: '2026-08',
    against: 'the templates of Functionary v3.1 and v3.2; the parser of llama.cpp',
    proof: ['template', 'engine'],
  },
  grammars: [functionTag, functionaryV32],
  salvage: [],
  reasoning: [],
  structure: ['>>>all\n'],
  promptTail: '>>>',
  turnTokens: [...headers, ...commonTurnTokens],
}
