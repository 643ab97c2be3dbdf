import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think } from './common.ts'

/** A label, and behind it the name and JSON. Where no name follows, the label may be it. */
const labelled: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'cwm',
  isSpecial: false,
  isPlain: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: ['<tool: '],
  namespaceEnd: ['>'],
  separator: ['\n'],
  isSeparatorOptional: true,
  callEnd: ['</tool>'],
  header: {},
}

/** What it runs in a shell has no JSON. */
const shell: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'cwm-shell',
  isSpecial: false,
  isPlain: true,
  isSectionOptional: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [{ open: '<tool: ', name: 'inline', end: '>' }],
  callEnd: labelled.callEnd,
  parameterBegin: [],
  parameterEnd: [],
  parameter: { trim: 'newline' },
  bodyKey: 'command',
}

export const cwm: Format = {
  id: 'cwm',
  title: 'Code World Model',
  models: ['CWM'],
  sample: '<tool: weather>\nget_weather {"city":"Paris"}\n</tool>',
  checked: {
    on: '2026-10',
    against: 'a proposal for vLLM, which says little of labels',
    proof: ['proposal'],
  },
  grammars: [labelled],
  salvage: [shell],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
}
