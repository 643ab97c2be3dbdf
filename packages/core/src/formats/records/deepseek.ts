import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { Format } from '../format.ts'
import { barTags, blankTags } from './bar-tags.ts'
import { commonTurnTokens, think, thinkingArgument, tokenJson } from './common.ts'
import { claudeInvoke } from './xml.ts'

/**
 * V3, R1 and V3.1 in one: V3 writes `function<sep>NAME` and a code fence, V3.1 `NAME<sep>`. The bars
 * are U+FF5C and the blocks U+2581; some servers turn both into ASCII.
 */
const deepseekV3: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'deepseek-v3',
  isSpecial: true,
  sectionBegin: ['<｜tool▁calls▁begin｜>', '<|tool▁calls▁begin|>', '<|tool_calls_begin|>'],
  sectionEnd: ['<｜tool▁calls▁end｜>', '<|tool▁calls▁end|>', '<|tool_calls_end|>'],
  callBegin: ['<｜tool▁call▁begin｜>', '<|tool▁call▁begin|>', '<|tool_call_begin|>'],
  separator: ['<｜tool▁sep｜>', '<|tool▁sep|>', '<|tool_sep|>'],
  callEnd: ['<｜tool▁call▁end｜>', '<|tool▁call▁end|>', '<|tool_call_end|>'],
  header: {},
  typeWord: 'function',
}

/** V3.2, V4 and V4.1 differ in the word around the calls. V4.1 has a blank behind the token in every tag. */
const deepseekDsml = barTags('deepseek-dsml', 'DSML', [
  'function_calls',
  'tool_calls',
  'toolcalls',
  'calls',
  'tool_use',
])

/** V3 and V3.1 without their tokens: `NAME{…}`, or `functionNAME` and a code fence. */
const deepseekStripped: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'deepseek-stripped',
  isSpecial: false,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [],
  separator: [],
  callEnd: [],
  header: {},
  namePrefixes: ['', 'function'],
}

export const deepseek: Format = {
  id: 'deepseek',
  title: 'DeepSeek',
  models: ['DeepSeek V3', 'R1', 'V3.1', 'V3.2', 'V4', 'V4.1', 'Cogito v2'],
  sample:
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  checked: {
    on: '2026-10',
    against: 'the templates of V3, R1, V3.1, V3.2 and V4; deepseek_v41 of vLLM and SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [deepseekV3, deepseekDsml],
  // What a server leaves of a call when it strips its tokens.
  salvage: [deepseekStripped, claudeInvoke, blankTags, tokenJson(deepseekDsml)],
  stripped: [
    { grammar: 'deepseek-v3', left: 'get_weather{"city":"Paris"}' },
    {
      grammar: 'deepseek-dsml',
      left: '<function_calls>\n<invoke name="get_weather">\n<parameter name="city" string="true">Paris</parameter>\n</invoke>\n</function_calls>',
    },
    {
      grammar: 'deepseek-dsml',
      left: '< calls>\n< invoke name="get_weather">\n< parameter name="city" string="true">Paris</ parameter>\n</ invoke>\n</ calls>',
    },
  ],
  reasoning: [think],
  structure: [],
  turnTokens: [
    '<｜end▁of▁sentence｜>',
    '<｜begin▁of▁sentence｜>',
    '<｜User｜>',
    '<｜Assistant｜>',
    '<｜System｜>',
    '<｜latest_reminder｜>',
    '<｜begin▁sys｜>',
    '<｜end▁sys｜>',
    '<｜action｜>',
    '<｜read_url｜>',
    '<|end▁of▁sentence|>',
    ...commonTurnTokens,
  ],
  template: { system: 'anywhere', reasoning: 'required', callsProveFamily: true },
  thinking: [
    { models: /deepseek.*\bv-?4/, default: 'on', ...thinkingArgument, efforts: ['low', 'high', 'max'] },
    {
      models: /deepseek.*(?:v3[.-][12](?!\d)|terminus)|deepseek\.v3-v1/,
      default: 'off',
      on: { thinking: true },
    },
    { models: /deepseek.*r1/, default: 'always' },
    { models: /deepseek.*v3/, default: 'never' },
  ],
}
