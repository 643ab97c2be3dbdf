import type { Probe } from '../../engines/engine.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { skipSpace } from '../../text/space.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Entry, Vocabulary } from '../lexicon/entry.ts'
import type { Opening } from '../lexicon/opening.ts'
import type { ModelStream, TextFlow } from '../text-flow.ts'
import type { Commitment } from './commitment.ts'

/** What the last stretch of calls left to come: its closer, or the markers of what went out as text. */
type Rest = { readonly of: 'open' | 'flushed'; readonly opening: Opening }

/** Who else speaks in a conversation, as the tokens that begin turns spell it. */
const otherSpeaker = /(?<!endof)user|tool|system|observation|function result/i

/** Removes what a server or a model left behind: tokens that end a turn, closers of nothing. */
export class Leftovers {
  /** There was an opener that was text: a closer behind it may be text as well. */
  hasOpeners = false
  private rest: Rest | undefined
  private readonly input: TextWindow
  private readonly flow: TextFlow
  private readonly commitment: Commitment

  /** Whether an element of HTML is open that holds code. */
  private readonly isInElement: () => boolean

  constructor(stream: ModelStream, commitment: Commitment, isInElement: () => boolean) {
    this.input = stream.input
    this.flow = stream.flow
    this.commitment = commitment
    this.isInElement = isInElement
  }

  /** `open`: a section whose closer is still to come. `flushed`: a call that was too long to be held. */
  expectRest(of: Rest['of'], opening: Opening): void {
    this.rest = { of, opening }
  }

  expectNothing(): void {
    this.rest = undefined
  }

  /** Whether the end of a message is that of a call that went out as text: the next one is not. */
  endsFlushed(owners: ReadonlySet<FormatId>): boolean {
    const { rest } = this
    const isFlushed = rest?.of === 'flushed' && owners.has(rest.opening.format)
    if (isFlushed) this.rest = undefined
    return isFlushed
  }

  dropTurnToken(
    onlyAtEnd: boolean,
    at: number,
    length: number,
    hasCalls: boolean,
  ): 'text' | 'hold' | 'passed' {
    const { flow } = this
    // A turn does not go on behind such a token: reasoning that does only speaks of it.
    const mayBeMeant = onlyAtEnd || flow.mode === 'reasoning' || flow.isQuoted(at, length) !== false
    const isLast = this.isLast(at + length)
    if (mayBeMeant && isLast !== 'yes') return isLast === 'more' ? 'hold' : 'text'
    // Behind the token of another speaker the model goes on in that one's place: nobody may take this for the answer.
    const isOther = otherSpeaker.test(this.input.text.slice(at, at + length))
    flow.passMarker(at, length, hasCalls || isOther, 'turn-token')
    return 'passed'
  }

  /**
   * A closer right behind calls is theirs; a lone special token is noise; anything else is text. So is what
   * belongs to a call that was flushed: without it the text could not be put together again.
   */
  dropResidue(
    { grammars, closesJson }: Extract<Entry, { is: 'residue' }>,
    at: number,
    length: number,
    hasCalls: boolean,
  ): 'text' | 'hold' | 'passed' {
    const { flow, rest } = this
    const isExpected = rest !== undefined && grammars.includes(rest.opening.grammar)
    if (isExpected && rest.of === 'flushed') return 'text'
    const isBehindCalls = hasCalls && flow.isBehindMarker(at)
    if (!isExpected && !isBehindCalls) {
      const isOwn = this.commitment.owns(grammars)
      // Where one of them writes it in plain text, so may anybody.
      const isToken = grammars.every((grammar) => grammar.isSpecial)
      const isLone = isToken ? 'yes' : hasCalls || !closesJson ? 'no' : this.isLone(at + length)
      if (!isOwn || isLone !== 'yes') return isLone === 'more' ? 'hold' : 'text'
      const isQuoted = flow.isQuoted(at, length)
      if (isQuoted === 'more') return 'hold'
      if (isQuoted || this.isInElement()) return 'text'
      // Reasoning that goes on behind a closer speaks of it.
      const isLast = flow.mode === 'reasoning' ? this.isLast(at + length) : 'yes'
      if (isLast !== 'yes') return isLast === 'more' ? 'hold' : 'text'
    }
    flow.passMarker(at, length, hasCalls, isExpected ? undefined : 'residue')
    return 'passed'
  }

  /** A plain tag that closes calls, at the end of a line, and nothing before it that it could belong to. */
  private isLone(behind: number): Probe {
    const { input, flow } = this
    if (this.hasOpeners || flow.mode === 'reasoning') return 'no'
    let at = behind
    while (at < input.text.length && (input.text.charAt(at) === ' ' || input.text.charAt(at) === '\t')) at++
    if (at === input.text.length) return input.final ? 'yes' : 'more'
    return input.text.charAt(at) === '\n' || input.text.charAt(at) === '\r' ? 'yes' : 'no'
  }

  /** Whether nothing but white space follows. */
  private isLast(behind: number): Probe {
    const { input } = this
    if (skipSpace(input.text, behind) < input.text.length) return 'no'
    return input.final ? 'yes' : 'more'
  }

  /** A tag of several tokens that was cut off behind the first: no prose looks like that. */
  dropCutTag(vocabulary: Vocabulary, at: number, hasCalls: boolean): boolean {
    const { input } = this
    if (!vocabulary.isCutBehindPiece(input.text, at)) return false
    this.flow.passMarker(at, input.text.length - at, hasCalls, 'residue')
    return true
  }
}

/** Takes off the plain tags that some models put around a whole answer. */
export class WrapperJudge {
  private readonly input: TextWindow
  private readonly flow: TextFlow
  private isWrapped = false

  constructor({ input, flow }: Pick<ModelStream, 'input' | 'flow'>) {
    this.input = input
    this.flow = flow
  }

  /** The answer may speak of such a tag: only at its beginning, at its end, or before other markup is it one. */
  judge(
    entry: Extract<Entry, { is: 'wrapper' }>,
    at: number,
    length: number,
    { isFirst, hasCalls }: { readonly isFirst: boolean; readonly hasCalls: boolean },
  ): 'text' | 'hold' | 'passed' {
    const { input, flow } = this
    if (entry.opens && isFirst) {
      flow.passMarker(at, length, hasCalls)
      this.isWrapped = true
      return 'passed'
    }
    if (!entry.closes || !this.isWrapped) return 'text'
    const next = skipSpace(input.text, at + length)
    if (next === input.text.length && !input.final) return 'hold'
    if (next < input.text.length && input.text.charAt(next) !== '<') return 'text'
    flow.passMarker(at, length, hasCalls)
    return 'passed'
  }
}
