import type { DelimitedJsonGrammar } from '../../engines/json/delimited-json.ts'
import { usualEnvelope } from '../../engines/json/envelope-shape.ts'
import type { PythonicGrammar } from '../../engines/pythonic/grammar.ts'
import type { Format } from '../format.ts'
import { pythonicList } from './pythonic.ts'
import { think } from './reasoning-markers.ts'
import { commonTurnTokens } from './turn-tokens.ts'

const lfmPythonic: PythonicGrammar = {
  engine: 'pythonic',
  id: 'lfm2-pythonic',
  isSpecial: true,
  sectionBegin: ['<|tool_call_start|>'],
  sectionEnd: ['<|tool_call_end|>'],
  bareBegin: [],
}

/** Between the same markers, where the prompt asked for JSON. */
const lfmJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'lfm2-json',
  isSpecial: true,
  callBegin: ['<|tool_call_start|>'],
  callEnd: ['<|tool_call_end|>'],
  envelope: usualEnvelope,
}

export const lfm: Format = {
  id: 'lfm',
  title: 'LFM',
  models: ['LFM2', 'LFM2.5'],
  sample: '<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>',
  grammars: [lfmPythonic, lfmJson],
  salvage: [pythonicList],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
