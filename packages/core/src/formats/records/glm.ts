import type { DelimitedJsonGrammar } from '../../engines/json/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, enableThinking, think } from './common.ts'
import { hermesJson } from './hermes.ts'

/**
 * 4.5 and 4.6 write a line break behind the name and between the tags, later releases none. 5.3 Flash often writes
 * a closing bracket behind the name, and its arguments as JSON.
 */
export const glmTags: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'glm-xml',
  isSpecial: false,
  isSectionOptional: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [{ open: '<tool_call>', name: 'word', end: '>', keyEnd: '</arg_key>' }],
  callEnd: ['</tool_call>'],
  parameterBegin: [{ open: '<arg_key>', name: { around: ['<arg_key>', '</arg_key>'] }, end: '<arg_value>' }],
  keyEnd: ['</arg_key>'],
  parameterEnd: ['</arg_value>'],
  parameter: { trim: 'none' },
}

/** The 0414 releases of GLM-4 write the name on a line of its own, at the start of the answer, and JSON below it. */
const glm4Lines: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'glm4-lines',
  isSpecial: false,
  isPlain: true,
  isFirst: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [],
  separator: ['\n'],
  callEnd: [],
  header: {},
}

/** The tag of the call is forgotten, or a server strips it: the name of a declared tool opens the call. */
const glmUnopened: TaggedParamsGrammar = {
  ...glmTags,
  id: 'glm-unopened',
  isSectionOptional: false,
  callBegin: [],
  namePrefixes: [''],
}

/** Laguna takes the tag of a turn for that of a call. */
const userTags: TaggedParamsGrammar = {
  ...glmTags,
  id: 'laguna-user',
  isPlain: true,
  callBegin: [{ open: '<user>', name: 'word', end: '' }],
  callEnd: ['</user>'],
}

const userJson: DelimitedJsonGrammar = {
  ...hermesJson,
  id: 'laguna-user-json',
  isPlain: true,
  callBegin: ['<user>'],
  callEnd: ['</user>'],
}

export const glm: Format = {
  id: 'glm',
  title: 'GLM',
  models: ['GLM-4.5 to 4.7', 'GLM-5 to 5.3', 'GLM-4-0414', 'Laguna', 'Ling', 'Ring'],
  sample: '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>',
  checked: {
    on: '2026-10',
    against:
      'the templates of GLM-4.6, GLM-4.7 Flash and Laguna; glm47 and ling3 of vLLM and SGLang; reports of GLM-5.3 Flash',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [glmTags, hermesJson],
  salvage: [glmUnopened, glm4Lines, userTags, userJson, bareJson],
  reasoning: [think],
  structure: [],
  turnTokens: [
    '<|user|>',
    '<|assistant|>',
    '</assistant>',
    '<|role_end|>',
    '〈|EOS|〉',
    ['</assistant>', '〈|EOS|〉'],
    ...commonTurnTokens,
  ],
  template: { system: 'anywhere' },
  thinking: [
    {
      models: /glm-?5\.2/,
      default: 'on',
      ...enableThinking,
      efforts: ['high', 'max'],
      effortAs: 'argument',
    },
    {
      models: /glm-?5\.3/,
      default: 'on',
      ...enableThinking,
      efforts: ['low', 'high', 'max'],
      effortAs: 'argument',
    },
    { models: /glm-?(?:4[.-][5-9](?!\d*b)|5(?:\.[01])?(?![.\d]))/, default: 'on', ...enableThinking },
    { models: /\bling-/, default: 'on', ...enableThinking },
    { models: /\blaguna\b/, default: 'off', on: { enable_thinking: true } },
  ],
}
