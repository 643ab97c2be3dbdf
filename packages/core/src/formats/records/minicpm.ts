import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think } from './common.ts'
import { claudeInvoke } from './xml.ts'

/** Nothing stands around the calls, and their tag could be prose: only what follows it tells. */
const minicpm5: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'minicpm5-xml',
  isSpecial: false,
  isSectionOptional: true,
  isPlain: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [
    { open: '<function ', name: { attribute: 'name' }, end: '>' },
    // What is left of the blank where a server does not decode its bytes, or loses it.
    { open: '<functionĠ', name: { attribute: 'name' }, end: '>' },
    { open: '<functionname=', name: 'inline', end: '>' },
  ],
  callEnd: ['</function>'],
  parameterBegin: [
    { open: '<param ', name: { attribute: 'name', isOptional: true }, end: '>' },
    { open: '<parameter ', name: { attribute: 'name', isOptional: true }, end: '>' },
    { open: '<paramĠ', name: { attribute: 'name' }, end: '>', isInBytes: true },
    { open: '<paramname=', name: 'inline', end: '>' },
  ],
  parameterEnd: ['</param>', '</parameter>'],
  // MiniCPM4 puts these around the parameters, and a server that does not decode its bytes leaves this of a line break.
  empty: ['<arguments>', '</arguments>', 'Ċ'],
  parameter: { trim: 'none', hasCdata: true },
}

export const minicpm: Format = {
  id: 'minicpm',
  title: 'MiniCPM',
  models: ['MiniCPM4', 'MiniCPM5'],
  sample: '<function name="get_weather"><param name="city">Paris</param></function>',
  checked: {
    on: '2026-10',
    against: 'the template of MiniCPM5; minicpm5 of vLLM and SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [minicpm5],
  salvage: [claudeInvoke],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
