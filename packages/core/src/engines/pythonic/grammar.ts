import { madeOnce } from '../../text/made-once.ts'
import { MarkerSearch } from '../../text/marker-search.ts'
import type { Marker } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { Probe } from '../engine.ts'
import type { ToolSet } from '../tool-set.ts'

/** Calls as Python writes them, in a list, one a line, or alone. */
export interface PythonicGrammar {
  readonly engine: 'pythonic'
  /** The model writes a section once more behind itself, without the marker that opens it. */
  readonly isEchoed?: boolean
  readonly id: string
  /** The markers are tokens of their own in the model's vocabulary: never prose. */
  readonly isSpecial: boolean
  readonly sectionBegin: readonly Marker[]
  readonly sectionEnd: readonly Marker[]
  /** How calls begin that no marker announces: a bracket, or the letters that a name may begin with. */
  readonly bareBegin: readonly Marker[]
  /** `search.call(…)`: the method that calls a tool. Other code may stand between the same markers. */
  readonly method?: string
  /** One call alone may be the whole output: it is known by its name. */
  readonly isFirst?: boolean
  /** The section is a code fence: its end is no marker of its own. Other code may stand in it. */
  readonly isFence?: boolean
  /** The end of the section is a bracket that prose is full of. */
  readonly isPlain?: boolean
}

/** The name of a call, and the position behind its opening parenthesis. */
export interface CallName {
  readonly name: string
  readonly end: number
}

const LONGEST_NAME = 128

/** Reads `NAME(`. Names with dots, dashes and colons are read too: tools have them, though Python has not. */
export function readCallName(text: string, from: number, final: boolean): CallName | 'more' | 'none' {
  let end = from
  while (end < text.length && end - from <= LONGEST_NAME && !endsName.test(text.charAt(end))) end++
  const name = text.slice(from, end)
  if (end - from > LONGEST_NAME || !beginsName.test(name)) return 'none'
  if (end === text.length) return final ? 'none' : 'more'
  return text.charAt(end) === '(' ? { name, end: end + 1 } : 'none'
}

/** Whether a name may begin with this unit: a letter, a digit, or one of `_$@`. */
function mayBeginName(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 64 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 36 ||
    code > 127
  )
}

const beginsName = /^[\p{L}\p{N}_$@]/u
const endsName = /[\s"'`()[\]{}<>,;=|\\!?*#&^%+~]/

/** The tool that a written name means: a method or a module around the name of an offered tool is not part of it. */
export function toolNamed(grammar: PythonicGrammar, tools: ToolSet, written: string): string {
  if (tools.has(written)) return written
  const { method = '' } = grammar
  const name = method !== '' && written.endsWith(method) ? written.slice(0, -method.length) : written
  const last = name.slice(name.lastIndexOf('.') + 1)
  return !tools.has(name) && tools.has(last) ? last : name
}

/** What must follow the opener: a call, in a list or not. `at` is behind the marker. */
export function probePythonic(
  grammar: PythonicGrammar,
  opens: 'section' | 'bare',
  tools: ToolSet,
  text: string,
  at: number,
  final: boolean,
): Probe {
  const isLetter = opens === 'bare' && text.charAt(at - 1) !== '['
  let start = isLetter ? at - 1 : skipSpace(text, at)
  const isList = opens === 'section' && text.charAt(start) === '['
  if (isList) start = skipSpace(text, start + 1)
  if (start === text.length) return final ? 'no' : 'more'
  if (isList && grammar.isSpecial && text.charAt(start) === ']') return 'yes'
  const call = readCallName(text, start, final)
  if (call === 'more') return 'more'
  if (call === 'none') return 'no'
  if (opens === 'section' && !isAmongCode(grammar)) return 'yes'
  const isOffered = tools.has(toolNamed(grammar, tools, call.name))
  const isUnknown = !tools.isKnown && opens === 'bare'
  const isCall = isOffered || isUnknown || isMethod(grammar, call.name) || isPrint(grammar, tools, call.name)
  if (!isCall) return 'no'
  return opens === 'bare' && text.charAt(at - 1) === '[' ? probeFirstArgument(text, call.end, final) : 'yes'
}

/** In `[open(path)](…)` or `[f(x) denotes …]` a variable stands where a call has a key or a value. */
function probeFirstArgument(text: string, from: number, final: boolean): Probe {
  const start = skipSpace(text, from)
  let end = start
  while (end < text.length && /[\p{L}\p{N}_]/u.test(text.charAt(end))) end++
  const behind = skipSpace(text, end)
  if (behind === text.length) return final ? 'yes' : 'more'
  const isVariable = /^[\p{L}_]/u.test(text.slice(start, end)) && !literals.has(text.slice(start, end))
  return isVariable && text.charAt(behind) === ')' ? 'no' : 'yes'
}

const literals: ReadonlySet<string> = new Set(['True', 'False', 'None', 'true', 'false', 'null'])

export function isMethod({ method }: PythonicGrammar, name: string): boolean {
  return method !== undefined && name.endsWith(method)
}

/** Whether the output begins with the name of an offered tool and a parenthesis. */
export function probeFirstCall(tools: ToolSet, text: string, from: number, final: boolean): Probe {
  const at = skipSpace(text, from)
  if (at - from > LONGEST_NAME) return 'no'
  if (at === text.length) return final ? 'no' : 'more'
  // Asked first: data and code are full of brackets with something else behind them.
  if (!mayBeginName(text.charCodeAt(at))) return 'no'
  const call = readCallName(text, at, final)
  if (typeof call === 'object') return tools.has(call.name) ? 'yes' : 'no'
  if (call === 'none') return 'no'
  const rest = text.slice(at)
  for (const name of tools.names()) if (name.startsWith(rest)) return 'more'
  return 'no'
}

/** In a code fence, `print(…)` around a call only shows its result. */
export function isPrint(grammar: PythonicGrammar, tools: ToolSet, name: string): boolean {
  return grammar.isFence === true && name === 'print' && !tools.has(name)
}

/** Whether what stands between the markers may be code that calls no tool. */
export function isAmongCode(grammar: PythonicGrammar): boolean {
  return grammar.method !== undefined || grammar.isFence === true
}

/** What ends a section: its end, or the beginning of another, which is left to whoever reads that. */
export const endsOf = madeOnce(({ sectionBegin, sectionEnd, isFence }: PythonicGrammar) => {
  const ends = new MarkerSearch<'end' | 'begin'>()
  for (const marker of sectionEnd) ends.add(marker, 'end')
  if (isFence !== true) for (const marker of sectionBegin) ends.add(marker, 'begin')
  return ends
})

/** A text that ends in the first text of a call behind another: the name of the one that it ends in. */
const innerCall = /\)[\s,[\]]+([^\s"'()[\]{},;=<]+)\([^"'()]*=\s*(["'])[^"']*\2$/

const firstName = /^[\s[]*([^\s"'()[\]{},;=<]{1,128})\(/

/** A section that begins with a call of no declared tool is one that a text speaks of. */
function mayBeMeant(grammar: PythonicGrammar, tools: ToolSet, section: string): boolean {
  const name = firstName.exec(section)?.[1]
  return name === undefined || !tools.isKnown || tools.has(toolNamed(grammar, tools, name))
}

/**
 * Where calls begin in the source of a value that took them in, as its string was never closed. -1: nowhere, or they are
 * text. The end of the source: none of them can be read. `isOver`: the stream ends in the value.
 */
export function findSwallowed(
  grammar: PythonicGrammar,
  tools: ToolSet,
  source: string,
  isOver: boolean,
): number {
  const ends = endsOf(grammar)
  let start = -1
  let behind = 0
  let isOpen = false
  let isPastEnd = false
  for (let length = ends.find(source, 0, true); length > 0; length = ends.find(source, behind, true)) {
    const { index, found } = ends
    const isBegin = found === 'begin'
    if (isBegin === isOpen || (isBegin && source.slice(behind, index).trim() !== '')) start = -1
    // An end marker that belongs to no call in the string is the end of its own.
    isPastEnd ||= !isBegin && !isOpen
    behind = index + length
    isOpen =
      isBegin &&
      probePythonic(grammar, 'section', tools, source, behind, true) === 'yes' &&
      mayBeMeant(grammar, tools, source.slice(behind))
    if (isOpen && start < 0) start = index
  }
  const from = isPastEnd ? start : -1
  if (isOver) return isOpen || source.slice(behind).trim() !== '' ? -1 : from
  const name = innerCall.exec(source)?.[1]
  const isInCall = isOpen || (name !== undefined && tools.has(toolNamed(grammar, tools, name)))
  // A text of that call ends here, and not the value around it. It may stand in the value as text, with quotes that nobody escaped.
  return isInCall ? (isOpen && from >= 0 ? from : source.length) : -1
}
