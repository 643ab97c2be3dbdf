import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, listOfCalls, think } from './common.ts'
import { drift } from './drift.ts'
import { claudeInvoke, qwen3Coder } from './xml.ts'

export const hermesJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'hermes-json',
  isSpecial: false,
  callBegin: ['<tool_call>'],
  callEnd: ['</tool_call>'],
  listBegin: listOfCalls,
  envelope: usualEnvelope,
}

export const hermes: Format = {
  id: 'hermes',
  title: 'Hermes',
  models: [
    'Hermes 2 Pro to 4',
    'SmolLM3',
    'EXAONE 4',
    'Reka Edge',
    'Bielik v3',
    'Trinity',
    'MiMo 7B and VL',
    'Kolibri-1',
    'RWKV',
  ],
  sample: '<tool_call>\n{"name": "get_weather", "arguments": {"city":"Paris"}}\n</tool_call>',
  checked: {
    on: '2026-10',
    against: 'the templates of Hermes 2 Pro, Bielik v3, MiMo VL and Reka Edge; hermes of vLLM and SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [hermesJson, qwen3Coder],
  salvage: [qwen3Coder, claudeInvoke, bareJson, ...drift],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
