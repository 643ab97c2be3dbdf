import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { KeyValuesGrammar } from '../../engines/key-values/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, enableThinking, think } from './common.ts'
import { foreignTagJson } from './drift.ts'

const longcatJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'longcat',
  isSpecial: true,
  callBegin: ['<longcat_tool_call>'],
  callEnd: ['</longcat_tool_call>'],
  envelope: usualEnvelope,
}

/** 2.0, Flash-Lite and Next write GLM's tags, with a prefix. */
const longcatTags: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'longcat-xml',
  isSpecial: true,
  isSectionOptional: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [{ open: '<longcat_tool_call>', name: 'word', end: '' }],
  callEnd: ['</longcat_tool_call>'],
  parameterBegin: [
    {
      open: '<longcat_arg_key>',
      name: { around: ['<longcat_arg_key>', '</longcat_arg_key>'] },
      end: '<longcat_arg_value>',
    },
  ],
  keyEnd: ['</longcat_arg_key>'],
  parameterEnd: ['</longcat_arg_value>'],
  parameter: { trim: 'none' },
}

/** Some write the call as code does, with the namespace of the prompt. */
const longcatCode: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'longcat-code',
  isSpecial: false,
  isPlain: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: ['<longcat_tool_call>'],
  separator: ['('],
  callEnd: [[')', '</longcat_tool_call>'], ')'],
  header: { prefix: 'functions.' },
}

/** The same, without quotes around the keys, or with the arguments as Python names them. */
const longcatKeys: KeyValuesGrammar = {
  engine: 'key-values',
  id: 'longcat-keys',
  isSpecial: false,
  callBegin: longcatCode.callBegin,
  callEnd: [],
  namePrefix: 'functions.',
}

export const longcat: Format = {
  id: 'longcat',
  title: 'LongCat',
  models: [
    'LongCat-Flash-Chat',
    'LongCat-Flash-Thinking',
    'LongCat-Flash-Lite',
    'LongCat-Next',
    'LongCat 2.0',
  ],
  sample: '<longcat_tool_call>\n{"name": "get_weather", "arguments": {"city":"Paris"}}\n</longcat_tool_call>',
  checked: {
    on: '2026-10',
    against: 'longcat of vLLM, the tags of mlx-lm, and what hosts return',
    proof: ['engine', 'report'],
  },
  grammars: [longcatJson, longcatTags],
  salvage: [longcatCode, longcatKeys, foreignTagJson, bareJson],
  stripped: [
    { grammar: 'longcat', left: '{"name": "get_weather", "arguments": {"city":"Paris"}}' },
    {
      grammar: 'longcat-xml',
      left: 'get_weather\ncity\nParis',
      why: 'the name, the keys and the values run together',
    },
  ],
  reasoning: [{ begin: '<longcat_think>', end: '</longcat_think>' }, think],
  structure: [],
  turnTokens: ['<longcat_s>', '</longcat_s>', ...commonTurnTokens],
  thinking: [{ models: /longcat(?!-flash-chat)/, default: 'on', ...enableThinking }],
}
