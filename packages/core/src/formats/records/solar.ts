import type { ChannelsGrammar } from '../../engines/messages/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'

const solarCalls: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'solar-open',
  isSpecial: true,
  sectionBegin: ['<|tool_calls|>'],
  sectionEnd: [],
  callBegin: ['<|tool_call:begin|>'],
  nameBegin: ['<|tool_call:name|>'],
  separator: ['<|tool_call:args|>'],
  callEnd: ['<|tool_call:end|>'],
  stop: ['<|end|>', '<|begin|>', '<|calls|>'],
  header: {},
}

/** Solar Open 2 has a token for each part of a parameter. The name ends with its line. */
const solarTags: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'solar-open-2',
  isSpecial: true,
  isSectionOptional: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [{ open: '<|tool_call:start|>', name: 'word', end: '' }],
  callEnd: ['<|tool_call:end|>'],
  parameterBegin: [
    { open: '<|tool_arg:start|>', name: { around: ['<|tool_arg:start|>'] }, end: '<|tool_arg:value|>' },
  ],
  parameterEnd: ['<|tool_arg:end|>'],
  parameter: { trim: 'none' },
}

/** A token says what a message is: its own header holds nothing but who speaks. */
const solarMessages: ChannelsGrammar = {
  id: 'solar-open',
  messageBegin: ['<|begin|>'],
  speakers: ['assistant'],
  channelBegin: [],
  typeBegin: [],
  types: [],
  builtins: [],
  routes: {},
  bodyBegin: [],
  reasoningBegin: ['<|think|>'],
  contentBegin: ['<|content|>'],
  bodyEnd: ['<|end|>', '<|calls|>', '<|flush|>'],
  calls: [],
}

export const solar: Format = {
  id: 'solar',
  title: 'Solar Open',
  models: ['Solar Open 100B', 'Solar Open 2'],
  sample:
    '<|tool_calls|><|tool_call:begin|>8a0d7f38e<|tool_call:name|>get_weather<|tool_call:args|>{"city":"Paris"}<|tool_call:end|>',
  checked: {
    on: '2026-10',
    against: 'the template of Solar Open 100B; a proposal for Solar Open 2',
    proof: ['template', 'proposal'],
  },
  grammars: [solarCalls, solarTags],
  salvage: [],
  stripped: [
    { grammar: 'solar-open', left: '8a0d7f38eget_weather{"city":"Paris"}', why: 'the id runs into the name' },
    {
      grammar: 'solar-open-2',
      left: 'get_weather\ncityParis',
      why: 'the name, the keys and the values run together',
    },
  ],
  reasoning: [{ begin: '<|think:start|>', end: '<|think:end|>' }],
  channels: solarMessages,
  structure: [],
  turnTokens: ['<|endoftext|>'],
}
