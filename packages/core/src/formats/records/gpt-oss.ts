import type { ChannelsGrammar } from '../../engines/messages/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { Format } from '../format.ts'

/** The arguments of a call. Its name stands in the header of the message. */
const harmonyCall: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'harmony',
  isSpecial: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [],
  separator: ['<|message|>'],
  callEnd: ['<|call|>', '<|end|>', '<|return|>'],
  isEndOptional: true,
  stop: ['<|start|>', '<|channel|>'],
  header: {},
}

const harmony: ChannelsGrammar = {
  id: 'harmony',
  messageBegin: ['<|start|>'],
  speakers: ['assistant'],
  channelBegin: ['<|channel|>'],
  typeBegin: ['<|constrain|>'],
  types: ['json', 'code', 'text', 'string', 'plain'],
  recipientMark: 'to=',
  toolPrefix: 'functions.',
  builtins: ['python', 'browser', 'container'],
  routes: {
    analysis: 'reasoning',
    commentary: 'content',
    final: 'content',
    assistant: 'content',
    user: 'content',
  },
  bodyBegin: ['<|message|>'],
  reasoningBegin: [],
  contentBegin: [],
  bodyEnd: ['<|end|>', '<|return|>', '<|call|>'],
  stripped: {
    callBegin: [
      'assistantcommentary to=',
      'assistantanalysis to=',
      'assistant to=',
      'commentary to=',
      'analysis to=',
    ],
    first: ['analysis', 'commentary'],
    next: { assistantanalysis: 'reasoning', assistantcommentary: 'content', assistantfinal: 'content' },
  },
  calls: [harmonyCall],
}

export const gptOss: Format = {
  id: 'gpt-oss',
  title: 'gpt-oss (Harmony)',
  models: ['gpt-oss-20b', 'gpt-oss-120b', 'gpt-oss-safeguard'],
  sample:
    'to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>{"city":"Paris"}<|call|>',
  checked: {
    on: '2026-08',
    against: 'the template of gpt-oss-120b; openai of vLLM, gpt-oss of SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [harmonyCall],
  salvage: [],
  stripped: [{ grammar: 'harmony', left: 'commentary to=functions.get_weather json{"city":"Paris"}' }],
  reasoning: [],
  channels: harmony,
  structure: [],
  turnTokens: ['<|endoftext|>', '<|eom|>', '<|eot|>'],
  template: { developerRole: true, callsProveFamily: true },
  thinking: [{ default: 'always', efforts: ['low', 'medium', 'high'] }],
}
