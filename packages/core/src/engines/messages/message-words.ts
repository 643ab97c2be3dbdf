import type { ToolSet } from '../tool-set.ts'
import type { ChannelsGrammar, HeaderRole, TextRoute } from './grammar.ts'

/** Whom a message is for. */
export type Recipient =
  | { readonly is: 'nobody' }
  /** Not a tool: the recipient says what the text is. */
  | { readonly is: 'route'; readonly route: TextRoute }
  /** Null: a tool, but the header does not say which. */
  | { readonly is: 'tool'; readonly name: string | null }
  /** A tool of the server, which nobody offered. */
  | { readonly is: 'builtin'; readonly name: string }

/** What the words of a header say. */
export interface HeaderWords {
  readonly channel: string | undefined
  readonly recipient: Recipient
  /** Words without any meaning. */
  readonly extras: readonly string[]
}

/** A stretch of words in a header, and what stands before it. */
export interface HeaderPart {
  readonly behind: HeaderRole | 'nothing'
  readonly text: string
}

export function readWords(
  grammar: ChannelsGrammar,
  parts: readonly HeaderPart[],
  tools: ToolSet,
): HeaderWords {
  let channel: string | undefined
  let recipient: Recipient = { is: 'nobody' }
  const extras: string[] = []
  for (const { behind, text } of parts) {
    const { words, address } = cutAddress(grammar, withoutSpeaker(grammar, behind, text))
    const namesChannel = behind === 'channel-begin' || behind === 'message-begin'
    for (const [index, word] of words.entries()) {
      const found = namesChannel && index === 0 ? channelOf(grammar, word) : undefined
      if (found !== undefined) channel = found
      else if (behind === 'channel-begin' && index === 0) channel = word
      const rest = found === undefined ? word : word.slice(found.length)
      if (rest !== '' && !grammar.types.includes(rest)) extras.push(rest)
    }
    if (address === undefined) continue
    const addressed = readAddress(grammar, address, tools)
    extras.push(...addressed.extras)
    if (recipient.is === 'nobody') recipient = addressed.recipient
    else if (address.trim() !== '') extras.push(address.trim())
  }
  return { channel, recipient, extras }
}

function withoutSpeaker(grammar: ChannelsGrammar, behind: HeaderPart['behind'], text: string): string {
  const words = text.trimStart()
  if (behind !== 'message-begin') return words
  const speaker = grammar.speakers.find((each) => words.startsWith(each))
  return speaker === undefined ? words : words.slice(speaker.length)
}

/** The words in front of the recipient, and what stands behind its mark. */
function cutAddress(
  grammar: ChannelsGrammar,
  text: string,
): { words: string[]; address: string | undefined } {
  const mark = grammar.recipientMark
  const at = mark === undefined ? -1 : text.indexOf(mark)
  const before = at < 0 ? text : text.slice(0, at)
  const words = before.split(/\s+/).filter((word) => word !== '')
  return { words, address: mark === undefined || at < 0 ? undefined : text.slice(at + mark.length) }
}

/** `commentary`, also where the word behind it was glued to it. */
function channelOf(grammar: ChannelsGrammar, word: string): string | undefined {
  if (grammar.channelBegin.length === 0) return undefined
  return Object.keys(grammar.routes).find((channel) => word.startsWith(channel))
}

/** A name is one word, unless a tool of just that name was declared. */
function readAddress(
  grammar: ChannelsGrammar,
  address: string,
  tools: ToolSet,
): { recipient: Recipient; extras: string[] } {
  const written = address.trim()
  if (tools.has(bareName(grammar, written))) {
    return { recipient: { is: 'tool', name: bareName(grammar, written) }, extras: [] }
  }
  const [word = '', ...others] = written.split(/\s+/)
  const extras = others.filter((other) => {
    const rest = other.slice(channelOf(grammar, other)?.length ?? 0)
    return rest !== '' && !grammar.types.includes(rest)
  })
  return { recipient: recipientOf(grammar, word, tools), extras }
}

function recipientOf(grammar: ChannelsGrammar, word: string, tools: ToolSet): Recipient {
  const name = withoutGlued(grammar, bareName(grammar, word), tools)
  if (tools.has(word) || tools.has(name)) return { is: 'tool', name: tools.has(name) ? name : word }
  const route = Object.hasOwn(grammar.routes, word) ? grammar.routes[word] : undefined
  if (route !== undefined) return { is: 'route', route }
  if (grammar.builtins.some((builtin) => word === builtin || word.startsWith(`${builtin}.`))) {
    return { is: 'builtin', name: word }
  }
  const isPrefix = word === '' || `${word}.` === grammar.toolPrefix || word === grammar.toolPrefix
  return { is: 'tool', name: isPrefix ? null : name }
}

/** Where a server strips the tokens, the channel and the type are glued to the name. */
function withoutGlued(grammar: ChannelsGrammar, name: string, tools: ToolSet): string {
  const words = [...Object.keys(grammar.routes), ...grammar.types]
  let rest = name
  while (!tools.has(rest)) {
    const word = words.find((each) => rest.endsWith(each))
    if (word === undefined) return name
    rest = rest.slice(0, -word.length)
  }
  return rest
}

function bareName({ toolPrefix = '' }: ChannelsGrammar, word: string): string {
  return word.startsWith(toolPrefix) ? word.slice(toolPrefix.length) : word
}
