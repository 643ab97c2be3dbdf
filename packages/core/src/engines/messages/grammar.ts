import { madeOnce } from '../../text/made-once.ts'
import { MarkerSearch } from '../../text/marker-search.ts'
import type { Marker } from '../../text/marker.ts'
import type { NameThenArgsGrammar } from '../named/grammar.ts'
import type { TaggedParamsGrammar } from '../tagged/grammar.ts'

/** What the text of a message is to a client. */
export type TextRoute = 'reasoning' | 'content'

/**
 * An answer made of messages: each has a header, and the header says whether what follows is reasoning,
 * content or a call. All markers are tokens of their own in the model's vocabulary.
 *
 * Where one marker opens the reasoning and another ends it, whatever the words in them, a header is not
 * needed: the format lists both, `reasoning: [{ begin: '<|channel>thought', end: '<channel|>' }]`.
 */
export interface ChannelsGrammar {
  readonly id: string
  /** Begins a header; who speaks stands behind it: `<|start|>assistant`. */
  readonly messageBegin: readonly Marker[]
  /** The speakers that are the model itself. */
  readonly speakers: readonly string[]
  /** In a header: the name of a channel stands behind it. */
  readonly channelBegin: readonly Marker[]
  /** In a header: the type of the body stands behind it. */
  readonly typeBegin: readonly Marker[]
  /** Words for the type of a body, which may also stand in a header without their marker. */
  readonly types: readonly string[]
  /** In a header: whom the message is for stands behind it, `to=`. */
  readonly recipientMark?: string
  /** Stands in front of the name of a tool, in a recipient. */
  readonly toolPrefix?: string
  /** Recipients that are no tools unless declared, also with a dot and a word behind them: `browser.open`. */
  readonly builtins: readonly string[]
  /** What the text of a message is, by its channel or its recipient. Any other is content. */
  readonly routes: Readonly<Record<string, TextRoute>>
  /** Ends a header: the body follows. */
  readonly bodyBegin: readonly Marker[]
  /** Ends a header as well, and the body is reasoning whatever the header says. */
  readonly reasoningBegin: readonly Marker[]
  /** Ends a header as well, and the body is content. */
  readonly contentBegin: readonly Marker[]
  readonly bodyEnd: readonly Marker[]
  readonly stripped?: StrippedHeaders
  /** How the body of a message to a tool is written. */
  readonly calls: readonly (NameThenArgsGrammar | TaggedParamsGrammar)[]
}

/** What is left of headers where the server strips the tokens: words, glued to the text behind them. */
export interface StrippedHeaders {
  /** How the header of a call begins, up to the mark of the recipient. Salvage. */
  readonly callBegin: readonly string[]
  /** The channels that the first message may have: an answer that begins so has lost its tokens. */
  readonly first: readonly string[]
  /** Who speaks and the channel, between two messages. */
  readonly next: Readonly<Record<string, TextRoute>>
}

export type HeaderRole =
  | 'message-begin'
  | 'channel-begin'
  | 'type-begin'
  | 'body-begin'
  | 'reasoning-begin'
  | 'content-begin'
  | 'body-end'

export const headerMarkers = madeOnce((grammar: ChannelsGrammar): MarkerSearch<HeaderRole> => {
  const markers = new MarkerSearch<HeaderRole>()
  const add = (list: readonly Marker[], role: HeaderRole): void => {
    for (const marker of list) markers.add(marker, role)
  }
  add(grammar.messageBegin, 'message-begin')
  add(grammar.channelBegin, 'channel-begin')
  add(grammar.typeBegin, 'type-begin')
  add(grammar.bodyBegin, 'body-begin')
  add(grammar.reasoningBegin, 'reasoning-begin')
  add(grammar.contentBegin, 'content-begin')
  add(grammar.bodyEnd, 'body-end')
  return markers
})

/** Everything that a header can begin with: the prompt, or the model, may have left out what comes before it. */
export function headerBeginnings(grammar: ChannelsGrammar): readonly Marker[] {
  return [
    ...grammar.messageBegin,
    ...grammar.channelBegin,
    ...grammar.typeBegin,
    ...grammar.bodyBegin,
    ...grammar.reasoningBegin,
    ...grammar.contentBegin,
  ]
}
