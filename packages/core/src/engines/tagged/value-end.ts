import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipBreaks, skipSpace } from '../../text/space.ts'
import { readTag } from '../../text/tag-reader.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Probe } from '../engine.ts'
import { markersOf, probeLooseKey, type TaggedParamsGrammar, type TaggedParamsRole } from './grammar.ts'
import type { ParameterWriter } from './parameter-writer.ts'

/** White space behind a closing tag is looked through this far to see what follows. */
const LONGEST_GAP = 256
/** How much of what follows the end of a call is looked at to see whether it belongs to a value. */
const LONGEST_LOOK = 512

type Roles = ReadonlySet<TaggedParamsRole['is']>

const afterParameter: Roles = new Set([
  'parameter-begin',
  'call-end',
  'section-end',
  'call-begin',
  'section-begin',
  'empty',
])
const afterCall: Roles = new Set(['section-end', 'call-begin', 'section-begin'])
const endsParameter: Roles = new Set(['parameter-end'])
const beginsSection: Roles = new Set(['section-begin'])
const beginsCall: Roles = new Set(['call-begin'])

/**
 * Tells where the value of a parameter ends. Values are not escaped, so a closing tag may be part of
 * one. It closes the value only if what may come next in the grammar does come next; a value without
 * closing tag ends at the next parameter that the tool declares, or at the end of the call.
 */
export class ValueEnd {
  private readonly input: TextWindow
  private readonly grammar: TaggedParamsGrammar
  private readonly markers: MarkerSearch<TaggedParamsRole>
  /** Tags of parameters stand in the value, as text. */
  private holdsParameters = false

  constructor(input: TextWindow, grammar: TaggedParamsGrammar) {
    this.input = input
    this.grammar = grammar
    this.markers = markersOf(grammar).all
  }

  /** A value begins. */
  begin(): void {
    this.holdsParameters = false
  }

  /** Whether this marker, which ends at `behind`, ends the value. */
  closes(role: TaggedParamsRole, behind: number, parameters: ParameterWriter): Probe {
    if (this.grammar.bodyKey !== undefined) return 'yes'
    switch (role.is) {
      case 'parameter-end': {
        const marker = this.isFollowedBy(behind, afterParameter)
        if (role.isWorn === true) return marker === 'yes' ? this.isEndMissing(behind) : marker
        if (marker === 'no') return this.isFollowedByKey(behind)
        // The value holds parameters of its own: this may be the end of one of them.
        return marker === 'yes' && this.holdsParameters ? this.isEndMissing(behind) : marker
      }
      case 'call-end':
        return this.endsCall(behind)
      case 'section-end':
        return parameters.isAtLineStart ? this.isFollowedByCall(behind) : 'no'
      case 'parameter-begin': {
        const tag = readTag(this.input.text, behind, role.tag, this.input.final)
        if (tag === 'more') return 'more'
        if (tag !== 'bad' && parameters.mayFollow(tag.name)) return 'yes'
        this.holdsParameters = true
        return 'no'
      }
      default:
        return 'no'
    }
  }

  private isFollowedBy(from: number, allowed: Roles): Probe {
    const { input } = this
    const at = this.grammar.keyEnd === undefined ? skipSpace(input.text, from) : skipBreaks(input.text, from)
    if (at - from > LONGEST_GAP) return 'no'
    if (at === input.text.length) return input.final ? 'yes' : 'more'
    const length = this.markers.match(input.text, at, false)
    // A marker that was cut off at the end of the stream follows too.
    if (length === PARTIAL) return input.final ? 'yes' : 'more'
    return length !== NONE && allowed.has(this.markers.found.is) ? 'yes' : 'no'
  }

  /** The value was never closed, if its call ends here. Where its closing tag follows behind the section, the whole is part of it. */
  private endsCall(from: number): Probe {
    const { input } = this
    const next = this.isFollowedBy(from, afterCall)
    const at = skipSpace(input.text, from)
    const length = next === 'yes' ? this.markers.match(input.text, at, input.final) : NONE
    if (length <= 0) return next
    if (this.markers.found.is !== 'section-end') return this.isEndMissing(at)
    const behind = skipSpace(input.text, at + length)
    if (behind === input.text.length) return input.final ? 'yes' : 'more'
    const end = this.isFollowedBy(behind, endsParameter)
    return end === 'more' ? 'more' : end === 'yes' ? 'no' : 'yes'
  }

  /** Something else follows. If more values are closed behind it than opened, one of the tags closes this value. */
  private isEndMissing(from: number): Probe {
    const { input, markers } = this
    const isCut = input.text.length >= from + LONGEST_LOOK
    const text = isCut ? input.text.slice(0, from + LONGEST_LOOK) : input.text
    const final = isCut || input.final
    let open = 0
    for (let at = from; at < text.length; at = markers.index + 1) {
      const length = markers.find(text, at, final)
      if (length === NONE) break
      if (length === PARTIAL) return 'more'
      const { index } = markers
      const role = markers.found.is
      if (role === 'parameter-begin') open++
      const closes = role === 'parameter-end' ? this.closesIn(text, index + length, final) : 'no'
      if (closes === 'more') return 'more'
      if (closes === 'yes' && --open < 0) return 'no'
      markers.index = index
    }
    return final ? 'yes' : 'more'
  }

  /** Whether what may come next does come next. Where nothing more is to be seen, it does. */
  private closesIn(text: string, from: number, final: boolean): Probe {
    const at = skipSpace(text, from)
    const length = at === text.length ? PARTIAL : this.markers.match(text, at, final)
    if (length === PARTIAL) return final ? 'yes' : 'more'
    return length !== NONE && afterParameter.has(this.markers.found.is) ? 'yes' : 'no'
  }

  /** Whether the closing tag of the value follows, and closes it. */
  isFollowedByEnd(from: number): Probe {
    const { input } = this
    const end = this.isFollowedBy(from, endsParameter)
    const at = skipSpace(input.text, from)
    if (end !== 'yes' || at === input.text.length) return end
    const length = this.markers.match(input.text, at, input.final)
    return length > 0 ? this.isFollowedBy(at + length, afterParameter) : 'yes'
  }

  private isFollowedByKey(from: number): Probe {
    const { input } = this
    const at = skipSpace(input.text, from)
    return at - from > LONGEST_GAP ? 'no' : probeLooseKey(this.grammar, input.text, at, input.final)
  }

  /** The end of the stream, or another section with a call in it. */
  private isFollowedByCall(from: number): Probe {
    const { input } = this
    const section = this.isFollowedBy(from, beginsSection)
    const at = skipSpace(input.text, from)
    if (section !== 'yes' || at === input.text.length) return section
    const length = this.markers.match(input.text, at, input.final)
    return length > 0 ? this.isFollowedBy(at + length, beginsCall) : 'yes'
  }
}
