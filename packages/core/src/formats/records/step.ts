import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think } from './common.ts'
import { hermesJson } from './hermes.ts'
import { qwen3Coder } from './xml.ts'

/** DeepSeek's bars, but with underscores between the words; inside the tokens stand tags. */
const step3: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'step3',
  isSpecial: true,
  isSectionOptional: true,
  sectionBegin: ['<｜tool_calls_begin｜>'],
  sectionEnd: ['<｜tool_calls_end｜>'],
  callBegin: [
    ['<｜tool_call_begin｜>', 'function', '<｜tool_sep｜>', '<steptml:invoke '],
    ['<｜tool_call_begin｜>', '<steptml:invoke '],
    '<steptml:invoke ',
  ].map((open) => ({ open, name: { attribute: 'name' }, end: '>' })),
  callEnd: [['</steptml:invoke>', '<｜tool_call_end｜>'], '</steptml:invoke>', '<｜tool_call_end｜>'],
  parameterBegin: [{ open: '<steptml:parameter ', name: { attribute: 'name' }, end: '>' }],
  parameterEnd: ['</steptml:parameter>'],
  parameter: { trim: 'none' },
}

/** What is left of Step-3 when the server strips the tokens. */
const step3Stripped: TaggedParamsGrammar = {
  ...step3,
  id: 'step3-stripped',
  isSpecial: false,
  sectionBegin: [],
  sectionEnd: [],
  callEnd: ['</steptml:invoke>'],
  callBegin: [{ open: 'function<steptml:invoke ', name: { attribute: 'name' }, end: '>' }],
}

/** Step-Audio 2 writes a word, the name and JSON, each on a line, between Qwen's tags. */
const stepAudio: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'step-audio-2',
  isSpecial: false,
  isPlain: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: ['<tool_call>function\n'],
  separator: ['\n'],
  callEnd: ['</tool_call>'],
  header: {},
}

/** Step-3 writes tags of its own, Step 3.5 and later those of Qwen, or JSON. */
export const step: Format = {
  id: 'step',
  title: 'Step',
  models: ['Step-3', 'Step 3.5 and 3.7 Flash', 'Step-Audio 2'],
  sample:
    '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">\n<steptml:parameter name="city">Paris</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>',
  checked: {
    on: '2026-10',
    against:
      'the template of Step 3.5 Flash; step3 and step3p5 of vLLM and SGLang; a proposal for Step-Audio 2',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [step3, qwen3Coder, hermesJson],
  salvage: [qwen3Coder, stepAudio, step3Stripped],
  stripped: [
    {
      grammar: 'step3',
      left: 'function<steptml:invoke name="get_weather">\n<steptml:parameter name="city">Paris</steptml:parameter>\n</steptml:invoke>',
    },
  ],
  reasoning: [think],
  structure: [],
  turnTokens: ['<｜EOT｜>', '<｜BOT｜>', ...commonTurnTokens],
}
