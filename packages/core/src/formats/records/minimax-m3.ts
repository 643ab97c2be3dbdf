import type { ElementTreeGrammar } from '../../engines/tagged/element-grammar.ts'

/** The token that stands before every tag. */
const token = ']<]minimax[>['

export const minimaxM3: ElementTreeGrammar = {
  engine: 'element-tree',
  id: 'minimax-m3-xml',
  isSpecial: true,
  isSectionOptional: true,
  sectionBegin: [[token, '<tool_call>']],
  sectionEnd: [[token, '</tool_call>']],
  callBegin: [
    { open: [token, '<invoke '], name: { attribute: 'name' }, end: '>' },
    // The token before the first tag was forgotten.
    { open: ['<tool_call>', token, '<invoke '], name: { attribute: 'name' }, end: '>' },
  ],
  looseCallBegin: [{ open: '<invoke ', name: { attribute: 'name' }, end: '>' }],
  callEnd: [[token, '</invoke>']],
  prefix: token,
  item: 'item',
  foreign: [],
}

/** What is left when the server strips the token. */
export const minimaxM3Stripped: ElementTreeGrammar = {
  ...minimaxM3,
  id: 'minimax-m3-stripped',
  isSpecial: false,
  sectionBegin: ['<tool_call>'],
  sectionEnd: ['</tool_call>'],
  callBegin: minimaxM3.looseCallBegin,
  looseCallBegin: [],
  callEnd: ['</invoke>'],
  prefix: '',
  foreign: ['parameter', 'param', 'invoke'],
}
