import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import type { PythonicGrammar } from '../../engines/pythonic/grammar.ts'
import type { ElementTreeGrammar } from '../../engines/tagged/element-grammar.ts'
import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Grammar } from '../format.ts'
import { listOfCalls } from './common.ts'

/** The tag of the definitions in the prompt, those in which others write Python or invocations, and words that say little. */
const tags = ['tools', 'tool', 'function_calls', 'function_call', 'json', 'JSON', 'xml', 'response']

/** JSON in a tag that is not the model's own. */
export const foreignTagJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'foreign-tag-json',
  isSpecial: false,
  callBegin: tags.map((tag) => `<${tag}>`),
  callEnd: tags.map((tag) => `</${tag}>`),
  listBegin: listOfCalls,
  envelope: usualEnvelope,
}

/** JSON in a code fence in the tags. */
const fencedTagJson: DelimitedJsonGrammar = {
  ...foreignTagJson,
  id: 'fenced-tag-json',
  callBegin: ['```json', '```'].map((fence) => ['<tool_call>', fence]),
  callEnd: [['```', '</tool_call>'], '</tool_call>'],
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

/** Python's calls in the brackets and tags of others, `[Calling tool: NAME(a=1, b="x")]`. */
const foreignPythonic: PythonicGrammar = {
  engine: 'pythonic',
  id: 'foreign-pythonic',
  isSpecial: false,
  isPlain: true,
  sectionBegin: [...toldBegin, '<tool_call>'],
  sectionEnd: [']', '</tool_call>'],
  bareBegin: [],
}

/** A tag with the name of the tool, and JSON or elements in it: `<toolcall><NAME>{…}</NAME></toolcall>`. */
const tagOfName: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'tag-of-name',
  isSpecial: false,
  isSectionOptional: false,
  closesByName: true,
  readsElements: true,
  sectionBegin: ['<toolcall>', '<tool_call>'],
  sectionEnd: ['</toolcall>', '</tool_call>'],
  callBegin: [{ open: '<', name: 'inline', end: '>' }],
  callEnd: [],
  parameterBegin: [],
  parameterEnd: [],
  parameter: { trim: 'newline' },
}

/** RWKV: a line in bold, and the call in a code fence. */
const boldLine: DelimitedJsonGrammar = {
  ...foreignTagJson,
  id: 'bold-line',
  isPlain: true,
  isLine: true,
  callBegin: [
    ['**Tool Call:**', '```json'],
    ['**Tool Call:**', '```'],
  ],
  callEnd: ['```'],
}

const elementNames = ['name', 'tool_name']
const elementArguments = ['arguments', 'parameters', 'args', 'input']

/** What harnesses ask for that know of no syntax: `<tool><name>NAME</name><arguments>{…}</arguments></tool>`. */
const toolElement: NameThenArgsGrammar = {
  engine: 'name-then-args',
  id: 'tool-element',
  isSpecial: false,
  isPlain: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: elementNames.flatMap((name) => [
    ['<tool>', `<${name}>`],
    ['<tool_call>', `<${name}>`],
  ]),
  separator: elementNames.flatMap((name) => elementArguments.map((each) => [`</${name}>`, `<${each}>`])),
  callEnd: elementArguments.flatMap((each) => [
    [`</${each}>`, '</tool>'],
    [`</${each}>`, '</tool_call>'],
    `</${each}>`,
  ]),
  header: {},
}

/** The same with an element for each argument. */
const toolElements: ElementTreeGrammar = {
  engine: 'element-tree',
  id: 'tool-elements',
  isSpecial: false,
  isSectionOptional: true,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: elementNames.map((name) => ({
    open: ['<tool>', `<${name}>`],
    name: 'inline',
    end: `</${name}>`,
  })),
  looseCallBegin: [],
  callEnd: ['</tool>'],
  prefix: '',
  item: 'item',
  foreign: elementArguments,
}

/** Qwen's tags with another word or one sign less, or the name in an element: `<call=NAME>`, `function=NAME>`. */
const otherWords: TaggedParamsGrammar = {
  engine: 'tagged-params',
  id: 'other-words',
  isSpecial: false,
  isSectionOptional: false,
  closesByName: true,
  readsElements: true,
  sectionBegin: ['<tool_call>'],
  sectionEnd: ['</tool_call>'],
  callBegin: [
    ...['function=', '<function', '<call=', '<tool=', '<invoke='].map((open) => ({
      open,
      name: 'inline' as const,
      end: '>',
    })),
    { open: '<function>', name: 'inline', end: '</function>' },
  ],
  callEnd: ['</function>', '</call>', '</tool>', '</invoke>'],
  parameterBegin: [
    { open: '<parameter=', name: 'inline', end: '>' },
    { open: '<parameter>', name: { around: ['<parameter>', '</parameter>'] }, end: '<value>' },
  ],
  parameterEnd: ['</parameter>'],
  parameter: { trim: 'newline' },
}

/** The name in an element, with no tag around the call. */
const nameElement: TaggedParamsGrammar = {
  ...otherWords,
  id: 'name-element',
  isSectionOptional: true,
  closesByName: false,
  sectionBegin: [],
  sectionEnd: [],
  callBegin: [{ open: '<function>', name: 'inline', end: '</function>' }],
  callEnd: ['</function>'],
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
  foreignTagJson,
  fencedTagJson,
  toldCall,
  foreignPythonic,
  otherWords,
  nameElement,
  tagOfName,
  elementsOfName,
  toolElement,
  toolElements,
  boldLine,
]
