import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'

export const qwen3Coder: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'qwen3-coder-xml',
  isSpecial: false,
  isSectionOptional: false,
  sectionBegin: ['<tool_call>'],
  sectionEnd: ['</tool_call>'],
  callBegin: [
    { open: '<function=', name: 'inline', end: '>' },
    { open: '<function ', name: { attribute: 'name' }, end: '>' },
  ],
  callEnd: ['</function>', '</function_invocation>'],
  parameterBegin: [
    { open: '<parameter=', name: 'inline', end: '>' },
    { open: '<parameter ', name: { attribute: 'name' }, end: '>' },
    { open: '<param ', name: { attribute: 'name' }, end: '>' },
  ],
  parameterEnd: ['</parameter>', '</param>'],
  parameter: { trim: 'newline' },
}
