import type { ChannelsGrammar } from '../../engines/messages/grammar.ts'
import { type MessageHeader, readMessageHeader } from '../../engines/messages/message-header.ts'
import { markersOf as nameThenArgsMarkers, type NameThenArgsGrammar } from '../../engines/named/grammar.ts'
import {
  markersOf as taggedParamsMarkers,
  probeTaggedParams,
  type TaggedParamsGrammar,
} from '../../engines/tagged/grammar.ts'
import type { ToolSet } from '../../engines/tool-set.ts'
import type { FormatId } from '../../formats/format-id.ts'
import type { Grammar } from '../../formats/format.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { Opening } from './opening.ts'

/** One grammar in which a marker may stand in the header of a message. */
export interface Heading {
  readonly format: FormatId
  readonly channels: ChannelsGrammar
  /** Every grammar of the format. */
  readonly grammars: readonly Grammar[]
  /** The format was named, by the user or by the model's name. */
  readonly isNamed: boolean
}

/** The beginning of a header that the prompt holds. */
export interface PromptHeader {
  readonly text: string
  readonly headings: readonly Heading[]
}

/** A header, and what it leads to: text, or the body of a call. */
export interface Lead {
  readonly heading: Heading
  readonly header: MessageHeader
  /** How the body of the call is read, and where it begins. Undefined: the body is text. */
  readonly call: CallBody | undefined
  readonly isSure: boolean
  /** The body is text, and may be a call all the same. */
  readonly mayHoldCall?: true
}

interface CallBody {
  readonly opening: Opening
  readonly at: number
  /** A name in the header that the body does not repeat. */
  readonly otherName?: string
}

/** How many characters may be held to see what a header leads to. */
export const LONGEST_HEADING = 256

/**
 * Reads the header that `text` begins with. Of several grammars the first that is sure of it wins: many
 * headers mean something in each of them. Of a call, that is the one that writes it so, unless another was named.
 */
export function findLead(
  headings: readonly Heading[],
  tools: ToolSet,
  text: string,
  final: boolean,
): Lead | 'more' | 'no' {
  const leads: Lead[] = []
  for (const heading of headings) {
    const lead = readHeading(heading, tools, text, final)
    if (lead === 'more') return 'more'
    if (lead === 'no') continue
    if (lead.header.isSure) return lead
    leads.push(lead)
  }
  const sure = leads.filter((lead) => lead.isSure)
  return sure.find(({ heading, header }) => heading.isNamed || header.isUsual) ?? sure[0] ?? leads[0] ?? 'no'
}

function readHeading(heading: Heading, tools: ToolSet, text: string, final: boolean): Lead | 'more' | 'no' {
  const { channels, format } = heading
  const header = readMessageHeader(channels, tools, text, 0, final)
  if (typeof header === 'string') return header
  const { recipient, end, isSure } = header
  const message = { heading, header, call: undefined, isSure }
  if (recipient.is === 'route' && recipient.route === 'content') return readBlock(message, tools, text, final)
  if (recipient.is !== 'tool' && recipient.is !== 'nobody') return message
  // A message to nobody is a call only if its body names a tool that was offered.
  const name = recipient.is === 'tool' ? recipient.name : undefined
  for (const grammar of channels.calls) {
    const call =
      grammar.engine === 'tagged-params'
        ? taggedBody(format, grammar, name, tools, text, end, final)
        : name === undefined
          ? 'no'
          : jsonBody(format, grammar, name, text, end, final)
    if (call === 'more') return 'more'
    if (call !== 'no') return { heading, header, call, isSure: true }
  }
  return message
}

/** A message to the user may begin with the call of a tool that was offered: if it is nothing else, it was meant for that. */
function readBlock(message: Lead, tools: ToolSet, text: string, final: boolean): Lead | 'more' {
  const { format, channels } = message.heading
  for (const grammar of channels.calls) {
    if (grammar.engine !== 'tagged-params') continue
    const call = taggedBody(format, grammar, undefined, tools, text, message.header.end, final)
    if (call === 'more') return 'more'
    if (call !== 'no') return { ...message, mayHoldCall: true }
  }
  return message
}

type Body = CallBody | 'more' | 'no'

/** What stands behind the header of a call must look like arguments: anything else is a message after all. */
function jsonBody(
  format: FormatId,
  grammar: NameThenArgsGrammar,
  name: string | null,
  text: string,
  at: number,
  final: boolean,
): Body {
  const opening: Opening = { ...certain, format, grammar, opens: 'body', header: { id: null, name } }
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  if ('{["`'.includes(text.charAt(start))) return { opening, at }
  if ('null'.startsWith(text.slice(start, start + 4))) {
    return start + 4 <= text.length ? { opening, at } : final ? 'no' : 'more'
  }
  const { ends } = nameThenArgsMarkers(grammar)
  const length = ends.match(text, start, final)
  if (length === PARTIAL) return 'more'
  return length === NONE ? 'no' : { opening, at }
}

function taggedBody(
  format: FormatId,
  grammar: TaggedParamsGrammar,
  name: string | null | undefined,
  tools: ToolSet,
  text: string,
  at: number,
  final: boolean,
): Body {
  const { all } = taggedParamsMarkers(grammar)
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const length = all.match(text, start, final)
  if (length === PARTIAL) return 'more'
  if (length === NONE) return 'no'
  const role = all.found
  if (role.is !== 'section-begin' && role.is !== 'call-begin') return 'no'
  const tag = role.is === 'call-begin' ? role.tag : undefined
  const called: string[] = []
  const accepts = (each: string): boolean => called.push(each) > 0
  const proof = { accepts, declares: () => true }
  const answer = probeTaggedParams(grammar, tag, proof, text, start + length, final)
  // The same long name in the header and in the tag fills the whole window: then the tag need not be whole.
  const isCut = answer === 'no' && text.length >= LONGEST_HEADING
  const goesOn = isCut && probeTaggedParams(grammar, tag, proof, text, start + length, false) === 'more'
  if (answer !== 'yes' && !goesOn) return answer
  if (name === undefined && !called.some((each) => tools.has(each))) return 'no'
  const opening: Opening =
    tag === undefined
      ? { ...certain, format, grammar, opens: 'section' }
      : { ...certain, format, grammar, opens: 'call', tag }
  const isRepeated = typeof name !== 'string' || goesOn || called.includes(name)
  return { opening, at: start + length, ...(isRepeated ? {} : { otherName: name }) }
}

const certain = { isSalvage: false, isNamed: true } as const
