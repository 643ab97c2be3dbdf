import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { PythonicGrammar } from '../../engines/pythonic/grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Grammar } from '../format.ts'

/** The tag around the tool definitions in the prompt, taken for the one around calls. */
const toolsJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'tools-json',
  isSpecial: false,
  callBegin: ['<tools>'],
  callEnd: ['</tools>'],
  envelope: usualEnvelope,
}

const toldBegin = [
  '[Calling tool: ',
  '[Calling tool ',
  '[Calling function: ',
  '[Tool call: ',
  '[tool_call: ',
  '[TOOL_CALL: ',
]

/** How transcripts show a call to people: `[Calling tool: NAME({…})]`. */
const toldCall: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'told-call',
  isSpecial: false,
  isPlain: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: toldBegin,
  separator: ['('],
  callEnd: [')]'],
  header: {},
}

/** The same with arguments as Python writes them: `[Calling tool: NAME(a=1, b="x")]`. */
const toldPythonic: PythonicGrammar = {
  engine: 'pythonic',
  id: 'told-pythonic',
  isSpecial: false,
  isPlain: true,
  sectionBegin: toldBegin,
  sectionEnd: [']'],
  bareBegin: [],
}

/** A tag with the name of the tool, and JSON in it: `<toolcall><NAME>{…}</NAME></toolcall>`. */
const tagOfName: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'tag-of-name',
  isSpecial: false,
  isSectionOptional: false,
  closesByName: true,
  sectionBegin: ['<toolcall>', '<tool_call>'],
  sectionEnd: ['</toolcall>', '</tool_call>'],
  callBegin: [{ open: '<', name: 'inline', end: '>' }],
  callEnd: [],
  parameterBegin: [],
  parameterEnd: [],
  parameter: { trim: 'none' },
}

/** Qwen's tags with another word, or without their first character: `<call=NAME>`, `function=NAME>`. */
const otherWords: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'other-words',
  isSpecial: false,
  isSectionOptional: false,
  closesByName: true,
  readsElements: true,
  sectionBegin: ['<tool_call>'],
  sectionEnd: ['</tool_call>'],
  callBegin: ['function=', '<call=', '<tool=', '<invoke='].map((open) => ({
    open,
    name: 'inline',
    end: '>',
  })),
  callEnd: ['</function>', '</call>', '</tool>', '</invoke>'],
  parameterBegin: [{ open: '<parameter=', name: 'inline', end: '>' }],
  parameterEnd: ['</parameter>'],
  parameter: { trim: 'newline' },
}

/** The name first, then elements that are named after the parameters: `<tool_call>NAME<city>…</city></tool_call>`. */
const elementsOfName: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'elements-of-name',
  isSpecial: false,
  isSectionOptional: true,
  closesByName: true,
  readsElements: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [{ open: '<tool_call>', name: 'word', end: '' }],
  callEnd: ['</tool_call>'],
  parameterBegin: [],
  parameterEnd: [],
  parameter: { trim: 'newline' },
}

/** What models fall into when they forget their own syntax: read only as salvage. */
export const drift: readonly Grammar[] = [
  toolsJson,
  toldCall,
  toldPythonic,
  otherWords,
  tagOfName,
  elementsOfName,
]
