import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, think } from './common.ts'
import { glmTags } from './glm.ts'
import { hermesJson } from './hermes.ts'

const arrow = '-> tool/function_call'

/** 14B: a message to the tools, with an array of calls. The message before it ends first. */
const clovaMessage: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'hyperclova-message',
  isSpecial: true,
  callBegin: [
    ['<|im_end|>', '<|im_start|>', 'assistant', arrow],
    ['<|im_start|>', 'assistant', arrow],
  ],
  callEnd: [],
  envelope: usualEnvelope,
}

/** The prompt holds the token and the role: the output begins with the arrow. */
const clovaArrow: DelimitedJsonGrammar = {
  ...clovaMessage,
  id: 'hyperclova-arrow',
  isSpecial: false,
  isPlain: true,
  isLine: true,
  callBegin: [arrow],
}

/** What is left when the server strips the token before the role. */
const clovaStripped: DelimitedJsonGrammar = {
  ...clovaArrow,
  id: 'hyperclova-stripped',
  callBegin: [`assistant ${arrow}`],
}

/** 32B writes GLM's tags on lines of their own, 14B messages with headers. */
export const hyperclova: Format = {
  id: 'hyperclova',
  title: 'HyperCLOVA X',
  models: ['HyperCLOVA X SEED Think 32B', 'HyperCLOVA X SEED Think 14B'],
  sample:
    '<|im_start|>assistant -> tool/function_call\n[{"name": "get_weather", "arguments": {"city":"Paris"}}]',
  checked: {
    on: '2026-10',
    against: 'proposals for vLLM',
    proof: ['proposal'],
  },
  grammars: [clovaMessage, glmTags, hermesJson],
  salvage: [clovaArrow, clovaStripped, bareJson],
  stripped: [
    {
      grammar: 'hyperclova-message',
      left: 'assistant -> tool/function_call\n[{"name": "get_weather", "arguments": {"city":"Paris"}}]',
    },
  ],
  reasoning: [
    think,
    { begin: ['<|im_start|>', 'assistant/think'], end: '<|im_end|>', plain: 'both' },
    { begin: '/think\n', end: '<|im_end|>', plain: 'both' },
  ],
  structure: [],
  turnTokens: ['<|stop|>', '<|endofturn|>', ...commonTurnTokens],
}
