import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'

export const minimaxM2: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'minimax-m2-xml',
  isSpecial: true,
  isSectionOptional: false,
  sectionBegin: ['<minimax:tool_call>'],
  sectionEnd: ['</minimax:tool_call>'],
  callBegin: [{ open: '<invoke ', name: { attribute: 'name' }, end: '>' }],
  callEnd: ['</invoke>'],
  parameterBegin: [{ open: '<parameter ', name: { attribute: 'name' }, end: '>' }],
  parameterEnd: ['</parameter>'],
  parameter: { trim: 'none' },
}
