import type { PythonicGrammar } from '../../engines/pythonic/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think } from './common.ts'

/** The whole answer is a list of calls; no marker says so. */
export const pythonicList: PythonicGrammar = {
  engine: 'pythonic',
  id: 'pythonic-bare',
  isSpecial: false,
  sectionBegin: [],
  sectionEnd: [],
  bareBegin: ['['],
}

/** The whole answer is one call, or one a line, without brackets around them. */
export const pythonicCall: PythonicGrammar = {
  engine: 'pythonic',
  id: 'pythonic-call',
  isSpecial: false,
  sectionBegin: [],
  sectionEnd: [],
  bareBegin: [],
  isFirst: true,
}

/** Llama 4 puts tokens of its own around the list, when it does not forget them. */
export const llama4Pythonic: PythonicGrammar = {
  engine: 'pythonic',
  id: 'llama4-pythonic',
  isSpecial: true,
  sectionBegin: ['<|python_start|>'],
  sectionEnd: ['<|python_end|>'],
  bareBegin: [],
}

/** `<|python_tag|>brave_search.call(query="…")`. The same token stands before code for the interpreter. */
export const llamaBuiltin: PythonicGrammar = {
  engine: 'pythonic',
  id: 'llama-builtin',
  isSpecial: true,
  sectionBegin: ['<|python_tag|>'],
  sectionEnd: [],
  bareBegin: [],
  method: '.call',
}

export const pythonic: Format = {
  id: 'pythonic',
  title: 'Pythonic',
  models: ['Llama 4', 'Llama 3.2 1B and 3B', 'ToolACE', 'models prompted to write Python calls'],
  sample: '[get_weather(city="Paris")]',
  checked: {
    on: '2026-10',
    against: 'the templates of vLLM for Llama 4 and Gemma 3; pythonic of vLLM and SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [llama4Pythonic, pythonicList],
  salvage: [pythonicList, pythonicCall],
  stripped: [{ grammar: 'llama4-pythonic', left: '[get_weather(city="Paris")]' }],
  reasoning: [think],
  structure: [],
  turnTokens: ['<|eot|>', '<end_of_turn>', ...commonTurnTokens],
}
