import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL, spelled } from '../../text/marker.ts'
import { skipBreaks, skipSpace } from '../../text/space.ts'
import { readTag } from '../../text/tag-reader.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Probe } from '../engine.ts'
import {
  markersOf,
  type OpeningTag,
  probeLooseKey,
  type TaggedParamsGrammar,
  type TaggedParamsRole,
} from './grammar.ts'
import type { ParameterWriter } from './parameter-writer.ts'

/** White space behind a closing tag is looked through this far to see what follows. */
const LONGEST_GAP = 256
/** How much of what follows the end of a call is looked at to see whether it belongs to a value. */
const LONGEST_LOOK = 512

type Roles = readonly TaggedParamsRole['is'][]

const afterParameter: Roles = [
  'parameter-begin',
  'call-end',
  'section-end',
  'call-begin',
  'section-begin',
  'empty',
]
const afterCall: Roles = ['section-end', 'call-begin', 'section-begin']
const endsParameter: Roles = ['parameter-end']
const beginsSection: Roles = ['section-begin']
const beginsCall: Roles = ['call-begin']
const beginsBody: Roles = ['parameter-begin', 'call-end']

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
  /** A call stands in the value, as text: the parameters that follow are its own, up to its end. */
  private holdsCall = false
  /** The end of a call was seen on the way, when it was last looked ahead. */
  private passedCall = false
  /** Where the marker ends that was found to follow. 0: the output ends before it does. */
  private nextEnd = 0

  constructor(input: TextWindow, grammar: TaggedParamsGrammar) {
    this.input = input
    this.grammar = grammar
    this.markers = markersOf(grammar).all
  }

  /** A value begins. */
  begin(): void {
    this.holdsParameters = false
    this.holdsCall = false
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
      case 'call-end': {
        const end = this.endsCall(behind)
        if (end === 'no') this.holdsCall = false
        return end
      }
      case 'call-begin':
        return this.isNextCall(role.tag, behind)
      case 'section-end':
        return parameters.isAtLineStart ? this.isFollowedByCall(behind) : 'no'
      case 'section-begin': {
        const call = this.isFollowedBy(behind, beginsCall)
        const { found } = this.markers
        return call === 'yes' && this.nextEnd > 0 && found.is === 'call-begin'
          ? this.isNextCall(found.tag, this.nextEnd)
          : call === 'more'
            ? call
            : 'no'
      }
      case 'parameter-begin': {
        const tag = readTag(this.input.text, behind, role.tag, this.input.final)
        if (tag === 'more') return 'more'
        if (tag !== 'bad' && !this.holdsCall && parameters.mayFollow(tag.name)) return 'yes'
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
    this.nextEnd = 0
    if (at - from > LONGEST_GAP) return 'no'
    if (at === input.text.length) return input.final ? 'yes' : 'more'
    const length = this.markers.match(input.text, at, false)
    // A marker that was cut off at the end of the stream follows too.
    if (length === PARTIAL) return input.final ? 'yes' : 'more'
    this.nextEnd = at + length
    if (length === NONE) return 'no'
    const { found } = this.markers
    // Of two tags that could close a value, the whole one does.
    return allowed.includes(found.is) || ('isWorn' in found && allowed === afterParameter) ? 'yes' : 'no'
  }

  /** The value was never closed, if its call ends here. Where its closing tag follows behind the section, the whole is part of it. */
  private endsCall(from: number): Probe {
    const ends = this.isFollowedBy(from, afterCall)
    return ends === 'yes' && this.nextEnd > 0 ? this.isEndMissing(this.nextEnd) : ends
  }

  /** Something else follows. If more values are closed behind it than opened, one of the tags closes this value. */
  private isEndMissing(from: number): Probe {
    const end = this.lookAhead(from)
    return end === 'more' ? end : end === 'closed' || this.holdsCall ? 'no' : 'yes'
  }

  /**
   * A call begins in the value: it is text, if the value is closed behind it. Where nothing but whole calls follows, the value
   * was never closed. A value that took them in would be wrong, and look whole.
   */
  private isNextCall(shape: OpeningTag, from: number): Probe {
    const tag = readTag(this.input.text, from, shape, this.input.final)
    const body = typeof tag === 'string' ? tag : this.isFollowedBy(tag.end, beginsBody)
    if (body !== 'yes') return body === 'more' ? body : 'no'
    const { found } = this.markers
    const isParameter = this.nextEnd > 0 && found.is === 'parameter-begin'
    const parameter = isParameter
      ? isWholeTag(this.input.text, this.nextEnd, found.tag, this.input.final)
      : 'yes'
    if (parameter !== 'yes') return parameter
    const end = this.lookAhead(from)
    if (end === 'more') return end
    if (end === 'calls') return 'yes'
    this.holdsCall = end === 'far' || this.passedCall
    return 'no'
  }

  /**
   * What becomes of the value: it is closed, the output ends without that, with nothing behind the end of a call or with
   * something, or the end is too far off.
   */
  private lookAhead(from: number): 'closed' | 'calls' | 'over' | 'far' | 'more' {
    const { input, markers } = this
    const isCut = input.text.length >= from + LONGEST_LOOK
    const text = input.text.slice(0, from + LONGEST_LOOK)
    const final = isCut || input.final
    let open = 0
    let behind = from
    this.passedCall = false
    for (let at = from; at < text.length; at = markers.index + 1) {
      const length = markers.find(text, at, final)
      if (length === NONE) break
      if (length === PARTIAL) return 'more'
      const { index, found } = markers
      behind = index + length
      if (found.is === 'parameter-begin') {
        const whole = isWholeTag(text, behind, found.tag, final)
        if (whole === 'more') return whole
        if (whole === 'yes') open++
      }
      if (found.is === 'call-end') this.passedCall = true
      const closes = found.is === 'parameter-end' ? this.closesIn(text, behind, final) : 'no'
      if (closes === 'more') return closes
      if (closes === 'yes' && --open < 0) return 'closed'
      markers.index = index
    }
    if (!final) return 'more'
    if (isCut) return 'far'
    return this.passedCall && skipSpace(text, behind) === text.length ? 'calls' : 'over'
  }

  /** Whether what may come next does come next. Where nothing more is to be seen, it does. */
  private closesIn(text: string, from: number, final: boolean): Probe {
    const at = skipSpace(text, from)
    const length = at === text.length ? PARTIAL : this.markers.match(text, at, final)
    if (length === PARTIAL) return final ? 'yes' : 'more'
    return length !== NONE && afterParameter.includes(this.markers.found.is) ? 'yes' : 'no'
  }

  /** Whether the closing tag of the value follows, and closes it. */
  isFollowedByEnd(from: number): Probe {
    const end = this.isFollowedBy(from, endsParameter)
    return end === 'yes' && this.nextEnd > 0 ? this.isFollowedBy(this.nextEnd, afterParameter) : end
  }

  private isFollowedByKey(from: number): Probe {
    const { input } = this
    const at = skipSpace(input.text, from)
    return at - from > LONGEST_GAP ? 'no' : probeLooseKey(this.grammar, input.text, at, input.final)
  }

  /** The end of the stream, or another section with a call in it. */
  private isFollowedByCall(from: number): Probe {
    const section = this.isFollowedBy(from, beginsSection)
    return section === 'yes' && this.nextEnd > 0 ? this.isFollowedBy(this.nextEnd, beginsCall) : section
  }
}

/** Whether nothing is missing of the tag of a parameter. One that is only mentioned, or damaged, is no sign of another call. */
function isWholeTag(text: string, from: number, shape: OpeningTag, final: boolean): Probe {
  const tag = readTag(text, from, shape, final)
  if (typeof tag === 'string') return tag === 'more' ? tag : 'no'
  const [, ...closers] = typeof shape.name === 'object' && 'around' in shape.name ? shape.name.around : []
  const isClosed =
    closers.length === 0 || closers.some((closer) => text.slice(from, tag.end).includes(spelled(closer)))
  return tag.value === undefined && isClosed ? 'yes' : 'no'
}
