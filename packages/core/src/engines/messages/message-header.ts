import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { ToolSet } from '../tool-set.ts'
import { type ChannelsGrammar, headerMarkers, type TextRoute } from './grammar.ts'
import { type HeaderPart, type HeaderWords, readWords } from './message-words.ts'

/** The header of a message, understood. */
export interface MessageHeader extends HeaderWords {
  /** Position behind it. */
  readonly end: number
  /** What the text behind it is. Undefined: the header says nothing about it. */
  readonly route: TextRoute | undefined
  /** No other grammar has such a header, and no text holds one by chance. */
  readonly isSure: boolean
  /** It is written as this grammar has it: with a channel, or the prefix of tools, where there are such. */
  readonly isUsual: boolean
  /** Nothing ends it: what stands behind it is no body. */
  readonly isOpen: boolean
  /** None of the tokens stands in it. */
  readonly isStripped: boolean
}

interface Span {
  readonly parts: readonly HeaderPart[]
  readonly end: number
  readonly closer: 'body-begin' | 'reasoning-begin' | 'content-begin' | 'missing'
}

/** What no header holds: line breaks between its words, braces, tags. */
const notInHeader = /[\n\r{}<>]/

/** Who speaks, and nothing else. */
const speaker: HeaderPart = { behind: 'message-begin', text: '' }

/**
 * Reads a header from its first marker on, or from the recipient on. `more`: it may go on in the next
 * chunk. `no`: the text is not a header.
 */
export function readMessageHeader(
  grammar: ChannelsGrammar,
  tools: ToolSet,
  text: string,
  at: number,
  final: boolean,
): MessageHeader | 'more' | 'no' {
  const span = readSpan(grammar, text, at, final)
  if (typeof span === 'string') return span
  const words = readWords(grammar, span.parts, tools)
  const isNamed = span.closer === 'reasoning-begin' || span.closer === 'content-begin'
  const hasChannel = span.parts.some(({ behind }) => behind === 'channel-begin')
  const isKnownRecipient = grammar.channelBegin.length === 0 && words.recipient.is === 'route'
  return {
    ...words,
    end: span.end,
    route: routeOf(grammar, span, words),
    isSure: isNamed || hasChannel || isKnownRecipient,
    isUsual: grammar.channelBegin.length === 0 || hasChannel || hasPrefix(grammar, span.parts),
    isOpen: span.closer === 'missing',
    isStripped: span.closer === 'missing' && span.parts.length === 1 && span.parts[0]?.behind === 'nothing',
  }
}

function hasPrefix(
  { recipientMark = '', toolPrefix = '' }: ChannelsGrammar,
  parts: readonly HeaderPart[],
): boolean {
  return toolPrefix !== '' && parts.some(({ text }) => text.includes(recipientMark + toolPrefix))
}

function routeOf(
  grammar: ChannelsGrammar,
  { closer, parts }: Span,
  words: HeaderWords,
): TextRoute | undefined {
  if (closer === 'reasoning-begin') return 'reasoning'
  if (closer === 'content-begin') return 'content'
  if (words.channel !== undefined) return known(grammar.routes, words.channel) ?? 'content'
  if (words.recipient.is === 'route') return words.recipient.route
  const isLone = parts.every(({ behind }) => behind === 'type-begin')
  return isLone ? undefined : 'content'
}

function known(routes: Readonly<Record<string, TextRoute>>, name: string): TextRoute | undefined {
  return Object.hasOwn(routes, name) ? routes[name] : undefined
}

/** Cuts a header into its parts. */
function readSpan(grammar: ChannelsGrammar, text: string, at: number, final: boolean): Span | 'more' | 'no' {
  const markers = headerMarkers(grammar)
  const parts: HeaderPart[] = []
  let behind: HeaderPart['behind'] = 'nothing'
  let cursor = at
  for (;;) {
    const length = markers.find(text, cursor, final)
    const words = text.slice(cursor, markers.index)
    const stop = foreignIn(grammar, words)
    const isOpen = length === NONE || length === PARTIAL
    const part = { behind, text: stop < 0 ? words : words.slice(0, stop) }
    if (behind === 'nothing' && words !== '' && !isAddress(grammar, part.text)) return 'no'
    const end = speakerEnd(grammar, part)
    if (end !== undefined) return { parts: [...parts, speaker], end: cursor + end, closer: 'missing' }
    if (stop >= 0) return atForeign(grammar, [...parts, part], text, cursor + stop, final)
    if (isOpen) return final ? atTextEnd(grammar, parts, part, text.length) : 'more'
    if (behind !== 'nothing' || words !== '') parts.push(part)
    const role = markers.found
    cursor = markers.index + length
    if (role === 'body-end') {
      return isEmptyMessage(grammar, words) ? { parts, end: markers.index, closer: 'missing' } : 'no'
    }
    if (role === 'body-begin' || role === 'reasoning-begin' || role === 'content-begin') {
      return { parts, end: cursor, closer: role }
    }
    behind = role
  }
}

/** Each part may stand on a line of its own. More words than a part has, and a line break behind them, are a text. */
function foreignIn(grammar: ChannelsGrammar, words: string): number {
  const said = words.trim()
  const mayBreak = !grammar.speakers.includes(said) && said.split(/\s+/, 3).length < 3
  return (mayBreak ? words.trimEnd() : words).search(notInHeader)
}

/** A message may end before its body began; other words than a header's are text that only follows a token. */
function isEmptyMessage(grammar: ChannelsGrammar, words: string): boolean {
  const said = words.trim()
  return said === '' || grammar.speakers.includes(said) || Object.hasOwn(grammar.routes, said)
}

/** A recipient and at most a channel and a type: prose may begin with `to=` as well. */
function isAddress(grammar: ChannelsGrammar, words: string): boolean {
  const mark = grammar.recipientMark ?? ''
  const [, second = '', ...others] = words.trimEnd().split(/\s+/, 4)
  const isChannel = grammar.channelBegin.length > 0 && Object.hasOwn(grammar.routes, second)
  return words.startsWith(mark) && others.length <= (isChannel ? 1 : 0)
}

/**
 * Behind who speaks, text may follow at once: then the header is no longer than that, and nobody may be
 * kept waiting. Undefined while it may go on.
 */
function speakerEnd(grammar: ChannelsGrammar, { behind, text }: HeaderPart): number | undefined {
  if (behind !== 'message-begin') return undefined
  const start = skipSpace(text, 0)
  const name = grammar.speakers.find((each) => text.startsWith(each, start))
  if (name === undefined) return undefined
  const end = start + name.length
  const rest = text.slice(end).trimStart()
  return mayGoOn(grammar, rest) ? undefined : end
}

function mayGoOn(grammar: ChannelsGrammar, rest: string): boolean {
  const mark = grammar.recipientMark
  const isRecipient = (words: string): boolean =>
    mark !== undefined && (words.startsWith(mark) || mark.startsWith(words))
  if (rest === '' || isRecipient(rest)) return true
  const channels = grammar.channelBegin.length === 0 ? [] : Object.keys(grammar.routes)
  return channels.some(
    (channel) =>
      channel.startsWith(rest) ||
      (rest.startsWith(channel) && isRecipient(rest.slice(channel.length).trimStart())),
  )
}

/** Something that is no part of a header. The arguments may begin here, if all that is missing is their marker. */
function atForeign(
  grammar: ChannelsGrammar,
  parts: readonly HeaderPart[],
  text: string,
  at: number,
  final: boolean,
): Span | 'more' | 'no' {
  const mark = grammar.recipientMark
  const isAddressed = mark !== undefined && parts.some((part) => part.text.includes(mark))
  const body = skipSpace(text, at)
  if (isAddressed && body === text.length) return final ? 'no' : 'more'
  if (isAddressed && text.charAt(body) === '{') return { parts, end: body, closer: 'missing' }
  const [first] = parts
  if (first?.behind !== 'message-begin' || parts.length > 1) return 'no'
  if (grammar.speakers.includes(first.text.trim())) return { parts, end: at, closer: 'missing' }
  // A name, and then the token of a call that has no header of its own.
  if (at + 1 >= text.length && text.charAt(at) === '<') return final ? 'no' : 'more'
  return text.startsWith('<|', at) ? { parts, end: at, closer: 'missing' } : 'no'
}

/** The output ends in a header. One that says nothing yet is passed over. */
function atTextEnd(
  grammar: ChannelsGrammar,
  parts: readonly HeaderPart[],
  last: HeaderPart,
  end: number,
): Span | 'no' {
  const said = [...parts, last]
    .map((part) => part.text)
    .join('')
    .trim()
  return said === '' || grammar.speakers.includes(said) ? { parts: [], end, closer: 'missing' } : 'no'
}
