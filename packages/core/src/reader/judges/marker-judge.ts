import type { EndReason } from '../../engines/engine.ts'
import type { ToolSet } from '../../engines/tool-set.ts'
import type { Sink } from '../../events.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { problemCodes } from '../../problems.ts'
import { isBlank } from '../../text/space.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Verdict } from '../candidate.ts'
import type { Entry, Vocabulary } from '../lexicon/entry.ts'
import type { PromptHeader } from '../lexicon/heading.ts'
import type { Lexicon } from '../lexicon/lexicon.ts'
import type { Channel, ModelStream, TextFlow } from '../text-flow.ts'
import { Commitment } from './commitment.ts'
import { FenceJudge } from './fence-judge.ts'
import { HeaderJudge, type HeaderPlace, type HeaderVerdict } from './header-judge.ts'
import { Leftovers, WrapperJudge } from './leftovers.ts'
import { OpenerJudge } from './opener-judge.ts'
import { ReasoningJudge, type ReasoningOpener } from './reasoning-judge.ts'

export interface MarkerJudgeOptions {
  readonly tools: ToolSet
  readonly startsInReasoning: boolean
  /** The marker with which the prompt opened the reasoning, or else any that the expected format has. */
  readonly reasoningOpener: ReasoningOpener | undefined
  /** The format that the user named, or that the name of the model suggests. */
  readonly expectedFormat: FormatId | undefined
  /** The client demanded a call. */
  readonly isForced: boolean
}

/** Tells what a marker outside of calls means, by what came before it, and asks whoever knows its kind. */
export class MarkerJudge {
  /** Once a call or a header was read, only its own format is. */
  readonly commitment: Commitment
  hasCalls = false
  /** Words that could as well be prose opened a thought. */
  private isLabelled = false
  readonly fences: FenceJudge
  readonly openers: OpenerJudge
  readonly leftovers: Leftovers
  readonly headers: HeaderJudge
  private readonly reasoning: ReasoningJudge
  private readonly wrapper: WrapperJudge
  private readonly input: TextWindow
  private readonly sink: Sink
  private readonly flow: TextFlow
  private readonly lexicon: Lexicon
  private readonly reasoningOpener: ReasoningOpener | undefined

  constructor(stream: ModelStream, lexicon: Lexicon, options: MarkerJudgeOptions) {
    const { tools, startsInReasoning, reasoningOpener, expectedFormat } = options
    const commitment = new Commitment(options.isForced)
    this.commitment = commitment
    this.input = stream.input
    this.sink = stream.sink
    this.flow = stream.flow
    this.lexicon = lexicon
    this.reasoningOpener = reasoningOpener
    this.reasoning = new ReasoningJudge(stream, startsInReasoning, reasoningOpener)
    this.fences = new FenceJudge(stream, (fence, from) => this.openers.findFenced(fence, from))
    this.openers = new OpenerJudge(stream, {
      tools,
      commitment,
      reasoning: this.reasoning,
      fences: this.fences,
      answer: lexicon.answer,
      expectedFormat,
    })
    this.wrapper = new WrapperJudge(stream)
    this.leftovers = new Leftovers(stream, commitment, () => this.fences.isInElement)
    this.headers = new HeaderJudge(stream, tools, commitment, lexicon.readsCalls)
  }

  /** Calls were read: reasoning is over, and so is any code fence. */
  afterCalls(): void {
    this.hasCalls = true
    this.reasoning.endsAtMarker = false
    this.leftovers.expectNothing()
    this.fences.leave()
    this.flow.begin('content', true)
  }

  /** Text of this kind comes from now on. */
  beginChannel(channel: Channel): void {
    this.flow.beginChannel(channel, this.hasCalls && channel === 'content')
    if (channel === 'reasoning') this.reasoning.begin(this.reasoningOpener)
  }

  judge(entry: Exclude<Entry, { is: 'fence-mark' | 'code-tag' }>, at: number, length: number): Verdict {
    if ('owners' in entry && this.commitment.isForeign(entry.owners)) return 'text'
    if (entry.is === 'structure' && entry.isBodyEnd && this.leftovers.endsFlushed(entry.owners)) return 'text'
    if (entry.is === 'structure' && this.reasoning.isBesideMessages(entry.owners)) {
      return this.leftovers.dropTurnToken(true, at, length, this.hasCalls)
    }
    if (this.isForeignToReasoning(entry)) return 'text'
    switch (entry.is) {
      case 'opener':
        return this.judgeOpener(entry, at, length)
      case 'reasoning-begin':
        return this.openReasoning(entry, at, length)
      case 'reasoning-end':
        return this.reasoning.close(entry, at, length, this.hasCalls)
      case 'structure':
        return this.passStructure(entry, at, length)
      case 'header': {
        const isTouching = this.reasoning.isTouching(at)
        return this.turn(this.headers.judge(entry, at, length, this.placeOf(at)), isTouching)
      }
      case 'stripped':
        return this.turn(this.headers.stripped.judge(entry, at, length, this.placeOf(at)))
      case 'wrapper':
        return this.wrapper.judge(entry, at, length, this.placeOf(at))
      case 'turn-token':
        return this.leftovers.dropTurnToken(entry.onlyAtEnd, at, length, this.hasCalls)
      case 'residue':
        return this.leftovers.dropResidue(entry, at, length, this.hasCalls)
    }
  }

  private judgeOpener({ openings }: Extract<Entry, { is: 'opener' }>, at: number, length: number): Verdict {
    const verdict = this.openers.judge(openings, at, length, this.hasCalls)
    if (verdict === 'left-over') {
      this.flow.passMarker(at, length, this.hasCalls, 'residue')
      return 'passed'
    }
    if (verdict === 'text' || verdict === 'passed') this.leftovers.hasOpeners = true
    return verdict
  }

  /** The output goes on with the header that the prompt ends in. */
  judgePrompt(header: PromptHeader): Verdict {
    return this.turn(this.headers.judgePrompt(header))
  }

  dropCutTag(vocabulary: Vocabulary, at: number): boolean {
    return this.leftovers.dropCutTag(vocabulary, at, this.hasCalls)
  }

  /** Reasoning that one format opened is not ended, nor opened again, by the markers of another. */
  private isForeignToReasoning(entry: Entry): boolean {
    switch (entry.is) {
      case 'reasoning-begin':
      case 'reasoning-end':
        return this.reasoning.isForeign(entry.owners)
      case 'header':
        return this.reasoning.isForeign(entry.headings.map(({ format }) => format))
      default:
        return false
    }
  }

  /** A token that only one format has shows that it is this one. */
  private openReasoning(
    entry: Extract<Entry, { is: 'reasoning-begin' }>,
    at: number,
    length: number,
  ): Verdict {
    if (entry.onlyFirst && !this.flow.before.isFirst(at)) return 'text'
    const isToken = this.input.text.startsWith('<|', at)
    const isLabel = entry.onlyFirst && this.flow.mode === 'content'
    const verdict = this.reasoning.open(entry, at, length, this.flow.before.isFirst(at))
    const [format, ...others] = entry.owners
    if (verdict === 'passed' && isToken && format !== undefined && others.length === 0) {
      this.commitment.toFormat(format, this.lexicon.grammars.get(format) ?? [])
    }
    if (verdict === 'passed' && isLabel) {
      this.isLabelled = true
      this.flow.keepThought('')
    }
    return verdict
  }

  /**
   * No more text comes. A thought that mere words opened, and nothing closed, was the answer if the model had finished:
   * otherwise there would be none.
   */
  finish(reason: EndReason | undefined): void {
    if (!this.isLabelled || reason === 'length' || reason === 'error') return
    const answer = this.flow.takeThought()
    if (!isBlank(answer)) this.giveAnswer(answer)
  }

  private passStructure(entry: Extract<Entry, { is: 'structure' }>, at: number, length: number): Verdict {
    const isQuoted = entry.isBodyEnd && this.headers.isQuoted(at, length, this.fences.isInside)
    if (isQuoted !== false) return isQuoted === 'more' ? 'hold' : 'text'
    if (entry.isBodyEnd) this.endMessage(at)
    this.flow.passMarker(at, length, this.hasCalls)
    const answer = entry.endsAnswer ? this.flow.takeThought() : ''
    this.flow.begin('content', this.hasCalls)
    if (answer !== '') this.giveAnswer(answer)
    return 'passed'
  }

  private endMessage(at: number): void {
    const { flow, reasoning } = this
    this.fences.leave()
    this.commitment.endMessage()
    reasoning.endsAtMarker = flow.mode === 'reasoning' && !flow.before.isFirst(at)
  }

  /** It went out as reasoning while it came in, and cannot be taken back; without it there would be no answer. */
  private giveAnswer(answer: string): void {
    this.sink.problem('unclosed-reasoning', problemCodes['unclosed-reasoning'], answer.slice(0, 256))
    this.sink.text(answer)
    this.flow.follow(answer)
  }

  private placeOf(at: number): HeaderPlace {
    return {
      isFirst: this.flow.before.isFirst(at),
      isBehindCalls: this.hasCalls && this.flow.isBehindMarker(at),
      isInCode: this.fences.isInside,
      hasCalls: this.hasCalls,
    }
  }

  /** Behind a header text of another kind may begin; a code fence does not go on there. */
  private turn(verdict: HeaderVerdict, isTouching = false): Verdict {
    if (verdict !== 'reasoning' && verdict !== 'content') return verdict
    if (verdict === 'reasoning') this.reasoning.begin(undefined)
    if (verdict === 'reasoning' && isTouching) this.sink.reasoning('\n')
    this.fences.leave()
    return 'passed'
  }
}
