import type { ChannelsGrammar } from '../../engines/messages/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'

/** Tags of plain text: they are a call only in a message to a tool. */
const atem: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'atem',
  isSpecial: false,
  isSectionOptional: true,
  sectionBegin: ['<atem:function_calls>'],
  sectionEnd: ['</atem:function_calls>'],
  callBegin: [{ open: '<atem:invoke ', name: { attribute: 'name' }, end: '>' }],
  callEnd: ['</atem:invoke>'],
  parameterBegin: [{ open: '<atem:parameter ', name: { attribute: 'name' }, end: '>' }],
  parameterEnd: ['</atem:parameter>'],
  parameter: { trim: 'none' },
}

/** What the model falls back to: the arguments alone, as JSON. */
const museJson: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'muse-json',
  isSpecial: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [],
  separator: ['<|message|>'],
  callEnd: ['<|eom|>', '<|eot|>'],
  isEndOptional: true,
  stop: ['<|start|>'],
  header: {},
}

const museMessages: ChannelsGrammar = {
  id: 'muse-glimmer',
  messageBegin: ['<|start|>'],
  speakers: ['assistant'],
  channelBegin: [],
  typeBegin: [],
  types: [],
  recipientMark: 'to=',
  builtins: [],
  routes: { self: 'reasoning', user: 'content' },
  bodyBegin: ['<|message|>'],
  reasoningBegin: [],
  contentBegin: [],
  bodyEnd: ['<|eom|>', '<|eot|>'],
  calls: [atem, museJson],
}

export const muse: Format = {
  id: 'muse',
  title: 'Muse Glimmer (ATEM)',
  models: ['Muse Glimmer'],
  sample:
    'to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n</atem:function_calls>',
  checked: {
    on: '2026-10',
    against: 'the template of Muse Glimmer; muse_glimmer of vLLM, muse of SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [museJson],
  salvage: [atem],
  stripped: [{ grammar: 'muse-json', left: 'to=get_weather{"city":"Paris"}' }],
  reasoning: [],
  channels: museMessages,
  structure: [],
  // The tokens of gpt-oss end messages too: its headers look like these where it forgets the channel.
  turnTokens: ['<|end_of_text|>', '<|call|>', '<|end|>', '<|return|>'],
}
