import type { PythonicGrammar } from '../../engines/pythonic/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think } from './common.ts'
import { pythonicList } from './pythonic.ts'

/** One call a line between plain tags. Strings may hold line breaks, so lines do not tell calls apart. */
const olmoLines: PythonicGrammar = {
  engine: 'pythonic',
  id: 'olmo3',
  isSpecial: false,
  sectionBegin: ['<function_calls>'],
  sectionEnd: ['</function_calls>'],
  bareBegin: [],
}

export const olmo: Format = {
  id: 'olmo',
  title: 'OLMo',
  models: ['Olmo 3', 'Olmo 3 Think'],
  sample: '<function_calls>\nget_weather(city="Paris")\n</function_calls>',
  checked: {
    on: '2026-08',
    against: 'olmo3 of vLLM and Ollama',
    proof: ['engine', 'report'],
  },
  grammars: [olmoLines],
  salvage: [pythonicList],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
