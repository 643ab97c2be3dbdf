import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { TypeAttribute } from '../../engines/tagged/parameter-writer.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think, thinkingArgument } from './common.ts'

const kimiK2: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'kimi-k2',
  isSpecial: true,
  sectionBegin: ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>'],
  sectionEnd: ['<|tool_calls_section_end|>', '<|tool_call_section_end|>'],
  callBegin: ['<|tool_call_begin|>'],
  separator: ['<|tool_call_argument_begin|>'],
  callEnd: ['<|tool_call_end|>'],
  header: { prefix: 'functions.', isId: true },
}

const kimiTypes: TypeAttribute = {
  name: 'type',
  string: ['string'],
  json: ['number', 'integer', 'boolean', 'object', 'array', 'null'],
}

/** What is left of a call when the server strips the special tokens. */
const kimiStripped: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'kimi-stripped',
  isSpecial: false,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: ['functions.'],
  separator: [],
  callEnd: [],
  header: { prefix: 'functions.', isId: true },
}

/** Kimi K3 builds every tag of three tokens; white space may slip in between them. */
const kimiK3: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'kimi-k3',
  isSpecial: true,
  isSectionOptional: true,
  sectionBegin: [['<|open|>', 'tools', '<|sep|>']],
  sectionEnd: [['<|close|>', 'tools', '<|sep|>']],
  callBegin: [
    {
      open: ['<|open|>', 'call '],
      name: { attribute: 'tool' },
      attributes: ['index'],
      end: '<|sep|>',
      isEscaped: true,
    },
  ],
  callEnd: [['<|close|>', 'call', '<|sep|>']],
  parameterBegin: [
    {
      open: ['<|open|>', 'argument '],
      name: { attribute: 'key' },
      attributes: ['type'],
      end: '<|sep|>',
      isEscaped: true,
    },
  ],
  parameterEnd: [['<|close|>', 'argument', '<|sep|>']],
  jsonBegin: [
    {
      open: ['<|open|>', 'json '],
      name: { attribute: 'type' },
      end: '<|sep|>',
      isEscaped: true,
    },
  ],
  jsonEnd: [['<|close|>', 'json', '<|sep|>']],
  parameter: { trim: 'none', typeAttribute: kimiTypes },
}

export const kimi: Format = {
  id: 'kimi',
  title: 'Kimi',
  models: ['Kimi K2', 'Kimi K2 Thinking', 'Kimi K2.5 to K2.7', 'Kimi Linear', 'Kimi K3'],
  sample:
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Paris"}<|tool_call_end|><|tool_calls_section_end|>',
  checked: {
    on: '2026-10',
    against: 'the templates of Kimi K2, K2 Thinking and K3; kimi_k2 and kimi_k3 of vLLM and SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [kimiK2, kimiK3],
  salvage: [kimiStripped],
  stripped: [
    { grammar: 'kimi-k2', left: 'functions.get_weather:0{"city":"Paris"}' },
    {
      grammar: 'kimi-k3',
      left: 'toolscall tool="get_weather" index="1"argument key="city" type="string"Parisargumentcalltools',
      why: 'a value ends where a word of the tags begins',
    },
  ],
  reasoning: [
    think,
    { begin: '◁think▷', end: '◁/think▷' },
    { begin: ['<|open|>', 'think', '<|sep|>'], end: ['<|close|>', 'think', '<|sep|>'] },
    // The last token of the tag is forgotten, or a server stops at it.
    { begin: ['<|open|>', 'think', '<|sep|>'], end: ['<|close|>', 'think'] },
  ],
  structure: [
    ['<|open|>', 'response', '<|sep|>'],
    ['<|close|>', 'response', '<|sep|>'],
    ['<|close|>', 'message', '<|sep|>'],
    ['<|open|>', 'message role="assistant"', '<|sep|>'],
    ['<|open|>', 'message', '<|sep|>'],
  ],
  answerEnd: [
    ['<|close|>', 'response', '<|sep|>'],
    ['<|close|>', 'message', '<|sep|>'],
  ],
  turnTokens: [
    '<|end_of_msg|>',
    '<|im_assistant|>assistant<|im_middle|>',
    '<|im_user|>user<|im_middle|>',
    '<|im_system|>system<|im_middle|>',
    '<|im_system|>tool<|im_middle|>',
    '[EOS]',
    ...commonTurnTokens,
  ],
  thinking: [
    { models: /k2-?thinking|k2\.7-?code/, default: 'always' },
    { models: /k2\.[56]/, default: 'on', ...thinkingArgument },
    { models: /k3/, default: 'on', ...thinkingArgument, efforts: ['low', 'high', 'max'] },
    { models: /k2(?![.\d])/, default: 'never' },
  ],
  template: {
    system: 'anywhere',
    reasoning: 'required',
    ids: 'kimi',
    callsProveFamily: true,
    provingIds: /^functions\.[^\s:]+:\d+$/,
  },
}
