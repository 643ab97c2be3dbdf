import type { ElementTreeGrammar } from '../../engines/tagged/element-grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think, tokenJson, toolCallsJson } from './common.ts'
import { claudeInvoke } from './xml.ts'

const minimaxM2: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'minimax-m2-xml',
  isSpecial: true,
  isSectionOptional: false,
  sectionBegin: ['<minimax:tool_call>'],
  sectionEnd: ['</minimax:tool_call>'],
  callBegin: [{ open: '<invoke ', name: { attribute: 'name' }, end: '>' }],
  callEnd: ['</invoke>'],
  parameterBegin: [{ open: '<parameter ', name: { attribute: 'name' }, end: '>' }],
  parameterEnd: ['</parameter>'],
  parameter: { trim: 'none' },
}

/** The token that stands before every tag. */
const token = ']<]minimax[>['

const minimaxM3: ElementTreeGrammar = {
  engine: 'element-tree',
  id: 'minimax-m3-xml',
  isSpecial: true,
  isSectionOptional: true,
  sectionBegin: [[token, '<tool_call>']],
  sectionEnd: [[token, '</tool_call>']],
  callBegin: [
    { open: [token, '<invoke '], name: { attribute: 'name' }, end: '>' },
    // The token before the first tag was forgotten.
    { open: ['<tool_call>', token, '<invoke '], name: { attribute: 'name' }, end: '>' },
  ],
  looseCallBegin: [{ open: '<invoke ', name: { attribute: 'name' }, end: '>' }],
  callEnd: [[token, '</invoke>']],
  prefix: token,
  item: 'item',
  foreign: [],
}

/** What is left when the server strips the token. */
const minimaxM3Stripped: ElementTreeGrammar = {
  ...minimaxM3,
  id: 'minimax-m3-stripped',
  isSpecial: false,
  sectionBegin: ['<tool_call>'],
  sectionEnd: ['</tool_call>'],
  callBegin: minimaxM3.looseCallBegin,
  looseCallBegin: [],
  callEnd: ['</invoke>'],
  prefix: '',
  foreign: ['parameter', 'param', 'invoke'],
}

/** The token stands in front of the first tag, and of no other. */
const minimaxM3Once: ElementTreeGrammar = {
  ...minimaxM3Stripped,
  id: 'minimax-m3-once',
  isSpecial: true,
  isSectionOptional: false,
  sectionBegin: minimaxM3.sectionBegin,
  sectionEnd: [...minimaxM3.sectionEnd, '</tool_call>'],
}

/** Three generations, three syntaxes. */
export const minimax: Format = {
  id: 'minimax',
  title: 'MiniMax',
  models: ['MiniMax-M1', 'MiniMax-M2 to M2.7', 'MiniMax-M3'],
  sample:
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
  checked: {
    on: '2026-10',
    against: 'the templates of M1, M2 and M3; minimax_m2 and minimax_m3 of vLLM and SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [minimaxM2, minimaxM3Once, minimaxM3, toolCallsJson],
  // Without their tokens the two leave these tags.
  salvage: [minimaxM3Stripped, claudeInvoke, tokenJson(minimaxM2)],
  stripped: [
    {
      grammar: 'minimax-m2-xml',
      left: '<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>',
    },
    ...['minimax-m3-xml', 'minimax-m3-once'].map((grammar) => ({
      grammar,
      left: '<tool_call>\n<invoke name="get_weather"><city>Paris</city></invoke>\n</tool_call>',
    })),
  ],
  reasoning: [think, { begin: '<mm:think>', end: '</mm:think>' }],
  structure: [],
  turnTokens: ['<end_of_sentence>', ']~!b[', ']~b]ai', ']~b]', '[e~[', ...commonTurnTokens],
  thinking: [
    {
      models: /(?:\b|minimax)m3/,
      default: 'adaptive',
      on: { thinking_mode: 'enabled' },
      off: { thinking_mode: 'disabled' },
    },
    { models: /(?:\b|minimax)m2/, default: 'always' },
  ],
}
