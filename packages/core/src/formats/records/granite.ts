import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Format, ReasoningMarkers } from '../format.ts'
import { bareJson, commonTurnTokens, speakers, think } from './common.ts'
import { pythonicCall } from './pythonic.ts'

/** Granite 3.0 writes an array behind its token; Phi-4 closes it as well. */
export const toolCallToken: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'granite-array',
  isSpecial: true,
  callBegin: ['<|tool_call|>'],
  callEnd: ['<|/tool_call|>'],
  isEndOptional: true,
  envelope: usualEnvelope,
}

/** 3.1 to 3.3 write an array that nothing closes, 4 an object between two tags. */
const graniteTag: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'granite-tag',
  isSpecial: false,
  callBegin: ['<tool_call>'],
  callEnd: ['</tool_call>'],
  isEndOptional: true,
  envelope: usualEnvelope,
}

const granite20b: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'granite-20b-fc',
  isSpecial: false,
  callBegin: ['<function_call>'],
  callEnd: ['</function_call>'],
  isEndOptional: true,
  envelope: usualEnvelope,
}

/** 3.2 thinks in sentences. */
const thoughts: readonly ReasoningMarkers[] = ['Here is', "Here's"].flatMap((begin) =>
  ['Here is', "Here's"].map((end): ReasoningMarkers => ({
    begin: `${begin} my thought process:`,
    end: `${end} my response:`,
    plain: 'both',
  })),
)

export const granite: Format = {
  id: 'granite',
  title: 'Granite',
  models: ['Granite 3', 'Granite 4', 'Granite 20B Function Calling'],
  sample: '<|tool_call|>[{"name": "get_weather", "arguments": {"city":"Paris"}}]',
  checked: {
    on: '2026-10',
    against:
      'the templates of Granite 3, 4.0, 4.1 and 20B; granite and granite4 of vLLM; a proposal for Python',
    proof: ['template', 'engine'],
  },
  grammars: [toolCallToken, graniteTag, granite20b],
  // 3.3 and 4.0 can be asked to write Python, one call a line.
  salvage: [bareJson, pythonicCall],
  stripped: [{ grammar: 'granite-array', left: '[{"name": "get_weather", "arguments": {"city":"Paris"}}]' }],
  reasoning: [think, ...thoughts],
  structure: [],
  wrappers: [{ begin: '<response>', end: '</response>' }],
  turnTokens: [
    '<|end_of_text|>',
    ...speakers.map((role) => ['<|start_of_role|>', role, '<|end_of_role|>']),
    ...commonTurnTokens,
  ],
  thinking: [{ models: /granite-?3\.[23]/, default: 'off', on: { thinking: true } }],
}
