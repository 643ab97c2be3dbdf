import type { KeyValuesGrammar } from '../../engines/key-values/grammar.ts'
import type { PythonicGrammar } from '../../engines/pythonic/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, tokenJson } from './common.ts'
import { pythonicList } from './pythonic.ts'

const gemma4: KeyValuesGrammar = {
  engine: 'key-values',
  id: 'gemma4',
  isSpecial: true,
  callBegin: ['<|tool_call>'],
  callEnd: ['<tool_call|>'],
  namePrefix: 'call:',
  textMarks: ['<|"|>'],
}

const functionGemma: KeyValuesGrammar = {
  engine: 'key-values',
  id: 'functiongemma',
  isSpecial: true,
  callBegin: ['<start_function_call>'],
  callEnd: ['<end_function_call>'],
  namePrefix: 'call:',
  textMarks: ['<escape>'],
  isUntyped: true,
}

/** What is left of a call when the server strips the special tokens, mostly those around texts too. */
const gemmaStripped: KeyValuesGrammar = {
  engine: 'key-values',
  id: 'gemma-stripped',
  isSpecial: false,
  callBegin: ['call:'],
  callEnd: [],
  namePrefix: '',
  textMarks: ['<|"|>', '<escape>'],
  isUntyped: true,
}

/** A tag of its own making, with no token around the call. */
const gemmaTag: KeyValuesGrammar = {
  ...gemmaStripped,
  id: 'gemma-tag',
  callBegin: ['<call>'],
  callEnd: [],
}

const gemmaJson = tokenJson({ sectionBegin: gemma4.callBegin, sectionEnd: gemma4.callEnd })

/** Up to Gemma 3 there is no syntax for calls; many prompts ask for Python in a fence. */
const toolCode: PythonicGrammar = {
  engine: 'pythonic',
  id: 'tool-code',
  isSpecial: false,
  sectionBegin: ['```tool_code', '```tool_call'],
  sectionEnd: ['```'],
  bareBegin: [],
  isFence: true,
}

export const gemma: Format = {
  id: 'gemma',
  title: 'Gemma',
  models: ['Gemma 4', 'FunctionGemma', 'Gemma 2 and 3 (by prompt)'],
  sample: '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|>',
  checked: {
    on: '2026-10',
    against: 'the templates of Gemma 4 and FunctionGemma; gemma4 of vLLM, SGLang and Ollama',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [gemma4, functionGemma],
  salvage: [toolCode, gemmaStripped, gemmaTag, gemmaJson, pythonicList],
  stripped: [
    { grammar: 'gemma4', left: 'call:get_weather{city:Paris}' },
    { grammar: 'functiongemma', left: 'call:get_weather{city:Paris}' },
  ],
  reasoning: [
    { begin: '<|channel>', end: '<channel|>' },
    // The label of the channel, which is a line of its own.
    { begin: ['<|channel>', 'thought\n'], end: '<channel|>' },
    { begin: 'thought\n', end: '<channel|>', plain: 'begin' },
  ],
  structure: [
    // A budget of no thought at all: the label stands there without its line break, and without a thought.
    ['<|channel>', 'thought<channel|>'],
    // Channels of the answer. The thought before them may not have been closed.
    ...['response', 'final', 'content'].map((name) => ['<|channel>', `${name}\n`]),
  ],
  turnTokens: [
    '<turn|>',
    '<|turn>model',
    '<|turn>user',
    '<end_of_turn>',
    '<start_of_turn>model',
    '<start_of_turn>user',
    '<|tool_response>',
    '<start_function_response>',
    '<eos>',
    ...commonTurnTokens,
  ],
  template: { turns: 'alternate', callsProveFamily: true },
  thinking: [
    { models: /gemma-?4(?!\d*b)/, default: 'off', on: { enable_thinking: true } },
    { models: /gemma-?[23]|function-?gemma/, default: 'never' },
  ],
}
