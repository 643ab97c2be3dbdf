import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { PythonicGrammar } from '../../engines/pythonic/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { pythonicList } from './pythonic.ts'

const lfmPythonic: PythonicGrammar = {
  engine: 'pythonic',
  id: 'lfm2-pythonic',
  isEchoed: true,
  isSpecial: true,
  sectionBegin: ['<|tool_call_start|>'],
  sectionEnd: ['<|tool_call_end|>'],
  bareBegin: [],
}

/** Between the same markers, where the prompt asked for JSON. */
export const lfmJson: DelimitedJsonGrammar = {
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
  checked: {
    on: '2026-10',
    against: 'the template of LFM2.5; lfm2 of vLLM and SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [lfmPythonic, lfmJson],
  salvage: [pythonicList, bareJson],
  stripped: [
    { grammar: 'lfm2-pythonic', left: '[get_weather(city="Paris")]' },
    { grammar: 'lfm2-json', left: '[{"name": "get_weather", "arguments": {"city":"Paris"}}]' },
  ],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
