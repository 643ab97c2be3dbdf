import type { ToolSet } from '../../engines/tool-set.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { repairCodes } from '../../problems.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { isLineStart, skipSpace } from '../../text/space.ts'
import type { TextWindow } from '../../text/text-window.ts'
import { type Candidate, type Code, type Found, isExpected } from '../candidate.ts'
import { closesFence, readFence } from '../code-fence.ts'
import type { Entry, StrippedEntry, Vocabulary } from '../lexicon/entry.ts'
import type { Lexicon } from '../lexicon/lexicon.ts'
import { closesSection, type Opening } from '../lexicon/opening.ts'
import { CodeEnd } from './code-end.ts'
import type { MarkerJudge } from './marker-judge.ts'

/** What follows a candidate: it proves it, disproves it, is still to come, or is part of it. */
type Proof = 'proven' | 'disproven' | 'open' | 'goes-on' | FurtherCall

/** Another call, in the same fence. Its opener stands where the input does. */
interface FurtherCall {
  readonly opening: Opening
  readonly length: number
}

/** A thought that goes on for longer than this behind a call was not ended by it. */
const LONGEST_THOUGHT = 2048

/** Longer words between two calls are prose. */
const LONGEST_LINK = 48

/** So much white space behind a call is looked at. */
const LONGEST_GAP = 64

/** Behind so much prose nobody waits for another call. */
const LONGEST_PROSE = 512

/** Decides whether the model meant a candidate as a call, by what follows it. */
export class CandidateJudge {
  private readonly input: TextWindow
  private readonly lexicon: Lexicon
  private readonly markers: MarkerJudge
  private readonly codeEnd: CodeEnd
  /** Up to where in the stream the end of a thought was looked for. */
  private searchedTo = 0
  /** Where in the stream a thought was found to end. */
  private thoughtEnd = -1

  constructor(input: TextWindow, lexicon: Lexicon, markers: MarkerJudge) {
    this.input = input
    this.lexicon = lexicon
    this.markers = markers
    this.codeEnd = new CodeEnd(input)
  }

  /** The candidate was read to its end. */
  judge(candidate: Candidate, tools: ToolSet): Proof {
    const { evidence, found } = candidate
    if (!evidence.showsCall) return isExpected(found.as) ? 'proven' : 'disproven'
    // Behind prose an example is as likely: one that could not be called is none.
    if (found.as === 'trailing' && !evidence.hasRequired(tools)) return 'disproven'
    return this.judgeNext(candidate)
  }

  /**
   * Another call, or nothing more: then it was meant as a call. What prose follows was an example, or
   * a draft.
   */
  private judgeNext(candidate: Candidate): Proof {
    const { input } = this
    const { found } = candidate
    if (isExpected(found.as)) return this.judgeSentence(candidate)
    if (found.code?.is === 'inline') return this.codeEnd.judge(found.code, input.at)
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return input.final ? 'proven' : 'open'
    if (found.as === 'in-thought' || found.as === 'in-reasoning') return this.judgeThought(candidate)
    if (found.code !== undefined) return this.judgeCode(candidate, found.code)
    const vocabulary = this.behindContent()
    const length = vocabulary.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'open'
    if (input.final && this.isCutCall(candidate)) return 'proven'
    if (length === NONE) return this.judgeProse(candidate, vocabulary)
    const entry = vocabulary.found
    // Only the opener was forgotten: whatever follows the closer, a call was meant. An opener that is text may have been its own.
    const mayBeForgotten = found.as === 'salvage' && !this.markers.leftovers.hasOpeners
    if (mayBeForgotten && closesSection(found.opening, input.text, input.at, input.final)) return 'proven'
    if (entry.is === 'turn-token' || entry.is === 'residue') return this.drop(candidate, length, entry.is)
    if (entry.is === 'fence-mark') return this.judgeFence(candidate)
    const isDemanded = found.as === 'bare' && this.markers.commitment.isForced
    // The message that holds the answer ends there.
    if (isDemanded && (entry.is === 'structure' || entry.is === 'wrapper')) return 'proven'
    if (entry.is === 'structure' && this.isInMessage(candidate, entry.owners)) return 'proven'
    if (entry.is === 'stripped') return this.judgeStripped(entry, length)
    if (entry.is !== 'opener' || found.as === 'bare' || found.as === 'trailing') return 'disproven'
    const opening = this.markers.openers.findOpening(entry.openings, input.at, length)
    if (opening === 'hold') return 'open'
    if (opening === undefined) return 'disproven'
    if (candidate.fence === undefined) return 'proven'
    return { opening, length: opening.opens === 'bare' ? 0 : length }
  }

  /**
   * In the named format calls stand bare, and models go on talking behind them. But a word in small letters goes on with a
   * sentence, and so does a word behind a comma: then the call is what the sentence speaks of. At the start of an answer only the same line
   * tells, as a server that strips tokens leaves small words in the next.
   */
  private judgeSentence({ found, recording }: Candidate): Proof {
    const { input } = this
    const { text, at } = input
    const next = skipSpace(text, at)
    if (next === text.length) return input.final ? 'proven' : 'open'
    // White space behind the call may have been read with it.
    const gap = (/\s*$/.exec(recording.peek(input).slice(-LONGEST_GAP))?.[0] ?? '') + text.slice(at, next)
    if (gap.includes('\n') && found.as === 'opens-answer') return 'proven'
    const char = text.charAt(next)
    if (!/[,:]/.test(char)) {
      return gap !== '' && /[\p{Ll}–—]/u.test(char) ? this.judgeWords(found, next) : 'proven'
    }
    const word = skipSpace(text, next + 1)
    if (word === text.length) return input.final ? 'proven' : 'open'
    return word > next + 1 && /\p{L}/u.test(text.charAt(word)) ? 'disproven' : 'proven'
  }

  /** A few words may also stand between two calls. */
  private judgeWords({ opening }: Found, from: number): Proof {
    const { text, final } = this.input
    const end = from + LONGEST_LINK
    for (let to = from; to < Math.min(end, text.length); to++) {
      const char = text.charAt(to)
      if (/[.!?\n]/.test(char)) return 'disproven'
      if (char !== '[' && char !== '{') continue
      const next = this.markers.openers.findOpening([opening], to, 1)
      return next === 'hold' ? 'open' : next === undefined ? 'disproven' : 'proven'
    }
    return text.length >= end || final ? 'disproven' : 'open'
  }

  /** The output ends in the tag of another such call: what was cut off says nothing about the whole ones. */
  private isCutCall({ found, recording }: Candidate): boolean {
    const { input, markers } = this
    if (found.as !== 'salvage') return false
    const start = found.at - found.from
    const opener = recording.peek(input).slice(start, start + found.length)
    const rest = input.text.slice(input.at, input.at + opener.length)
    if (rest !== opener) return opener.startsWith(rest)
    return markers.openers.isCut(found.opening, input.at, opener.length)
  }

  /**
   * Prose follows. Where there were calls in these tags before it, or are more of them behind it, it was meant like them; in
   * any other case it was an example.
   */
  private judgeProse({ found, madeBefore }: Candidate, vocabulary: Vocabulary): Proof {
    const { input, markers } = this
    const { opening } = found
    // A section has an end of its own: a tag alone is what a sentence would show.
    const isWrapped = opening.opens === 'section' || opening.grammar.engine === 'delimited-json'
    const isPlain = 'isPlain' in opening.grammar && opening.grammar.isPlain
    if (found.as !== 'salvage' || !isWrapped || isPlain) return 'disproven'
    if (madeBefore > 0 && markers.commitment.format === opening.format) return 'proven'
    const from = input.at
    let at = from
    while (at < input.text.length && at - from < LONGEST_PROSE) {
      const length = vocabulary.find(input.text, at, input.final)
      at = vocabulary.index
      if (length === NONE || length === PARTIAL) break
      const openings =
        vocabulary.found.is === 'opener'
          ? vocabulary.found.openings.filter(({ grammar }) => grammar === opening.grammar)
          : []
      if (openings.length > 0 && isLineStart(input.text, from, at, false)) {
        const next = markers.openers.findOpening(openings, at, length)
        if (next !== undefined) return next === 'hold' ? 'open' : 'proven'
      }
      at++
    }
    if (at - from >= LONGEST_PROSE) return 'disproven'
    return input.final ? 'disproven' : 'open'
  }

  /**
   * Special tokens in a fence. Nothing behind them, or more calls: then they are meant, and so they are if the fence holds
   * nothing else and nothing follows it. In a fence that is closed around other text they are shown.
   */
  private judgeCode(candidate: Candidate, code: Code): Proof {
    const { input, lexicon, markers } = this
    const { content } = lexicon
    const isOpen = code.is === 'fence' || candidate.fence !== undefined
    const length = content.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'open'
    const is = length === NONE ? 'text' : content.found.is
    if (is === 'turn-token' || is === 'residue' || is === 'structure') {
      return this.drop(candidate, length, is)
    }
    if (is === 'fence-mark') {
      if (code.is !== 'fence') return this.judgeFence(candidate)
      const run = readFence(input.text, input.at, input.final)
      if (run === 'more') return 'open'
      return closesFence(code.fence, run, input.text, input.at)
        ? 'disproven'
        : this.codeEnd.judge(code, input.at)
    }
    if (length !== NONE && content.found.is === 'opener') {
      const opening = markers.openers.findOpening(content.found.openings, input.at, length)
      if (opening === 'hold') return 'open'
      if (opening !== undefined && opening.opens !== 'bare')
        return isOpen || !('fence' in code) ? { opening, length } : 'proven'
    }
    return isOpen && 'fence' in code ? this.codeEnd.judge(code, input.at) : 'disproven'
  }

  /**
   * Another call, or nothing but the end of the thought: then it was meant as a call. Anything else: it was a draft. Of
   * several in a row, what follows the last decides about all.
   */
  private judgeThought(candidate: Candidate): Proof {
    const { input } = this
    const { reasoning } = this.lexicon
    const isToken = candidate.found.as === 'in-thought'
    const length = reasoning.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'open'
    if (length === NONE) return isToken ? this.isThoughtClosed(input.at) : 'disproven'
    const entry = reasoning.found
    switch (entry.is) {
      case 'turn-token':
      case 'residue':
        return this.drop(candidate, length, entry.is)
      case 'reasoning-end':
        return this.judgeThoughtEnd(candidate, input.at + length)
      case 'opener': {
        const opening = this.markers.openers.findOpening(entry.openings, input.at, length)
        if (opening === 'hold') return 'open'
        if (opening === undefined) return 'disproven'
        if (opening.opens !== 'bare') return { opening, length }
        return isToken ? { opening, length: 0 } : 'proven'
      }
      case 'structure':
      case 'header':
        return isToken ? 'proven' : 'disproven'
      default:
        return 'disproven'
    }
  }

  /** A token, or a closer, that belongs to nothing. */
  private drop({ evidence }: Candidate, length: number, is: Entry['is']): Proof {
    const { input } = this
    const code = is === 'turn-token' ? is : 'residue'
    input.at += length
    input.observer?.removed(code, input.position - length, input.position)
    evidence.repair(code, repairCodes[code])
    return 'goes-on'
  }

  /** The thought goes on behind the call. If it is closed somewhere, the call was a draft. */
  private isThoughtClosed(from: number): Proof {
    const { input } = this
    const { reasoning } = this.lexicon
    // Many drafts may stand in one thought: its end is found once.
    if (input.base + from <= this.thoughtEnd) return 'disproven'
    let at = Math.max(from, this.searchedTo - input.base)
    for (; at < input.text.length && at - from < LONGEST_THOUGHT; at = reasoning.index + 1) {
      const length = reasoning.find(input.text, at, input.final)
      if (length === NONE || length === PARTIAL) {
        at = reasoning.index
        break
      }
      if (reasoning.found.is === 'reasoning-end') {
        this.thoughtEnd = input.base + reasoning.index
        return 'disproven'
      }
    }
    this.searchedTo = input.base + at
    if (at - from >= LONGEST_THOUGHT) return 'disproven'
    return input.final ? 'proven' : 'open'
  }

  /** What follows the end of the thought: with an answer behind it, what stood in the thought was a draft. */
  private judgeThoughtEnd({ evidence }: Candidate, behind: number): Proof {
    const { input } = this
    const { content } = this.lexicon
    const at = skipSpace(input.text, behind)
    const length = at === input.text.length ? NONE : content.match(input.text, at, input.final)
    if (length === PARTIAL || (at === input.text.length && !input.final)) return 'open'
    const isLast = at === input.text.length || (length > 0 && content.found.is === 'turn-token')
    if (!isLast) return 'disproven'
    input.at = at
    evidence.repair('residue', repairCodes.residue)
    return 'proven'
  }

  /** The message ends behind a call that it may hold, although it is addressed to nobody. */
  private isInMessage({ found }: Candidate, owners: ReadonlySet<FormatId>): boolean {
    const { commitment } = this.markers
    const { format, grammar } = found.opening
    const mayHold =
      commitment.format === undefined ? owners.has(format) : commitment.unaddressed.includes(grammar)
    return found.as === 'salvage' && mayHold
  }

  private behindContent(): Vocabulary {
    const { lexicon } = this
    return this.markers.headers.stripped.isExpected ? lexicon.stripped().content : lexicon.answer
  }

  /** The end of its own fence; or, behind that, another fence with a call in it. */
  private judgeFence(candidate: Candidate): Proof {
    const { input } = this
    const run = readFence(input.text, input.at, input.final)
    if (run === 'more') return 'open'
    if (candidate.fence === undefined) {
      const next = this.markers.openers.findFenced(run, input.at)
      return next === 'hold' ? 'open' : next === 'text' ? 'disproven' : 'proven'
    }
    if (!closesFence(candidate.fence, run, input.text, input.at)) return 'disproven'
    input.at += run.length
    candidate.fence = undefined
    return 'goes-on'
  }

  /** Without tokens too, the next message tells that the call was one of them. */
  private judgeStripped(entry: StrippedEntry, length: number): Proof {
    if (entry.begins !== 'call') return entry.begins === 'next' ? 'proven' : 'disproven'
    const next = this.markers.headers.stripped.findCall(entry, this.input.at, length)
    return next === 'hold' ? 'open' : next === 'text' ? 'disproven' : 'proven'
  }
}
