import { repairCodes } from '../../problems.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Candidate } from '../candidate.ts'
import { closesFence, readFence } from '../code-fence.ts'
import type { StrippedEntry, Vocabulary } from '../lexicon/entry.ts'
import type { Lexicon } from '../lexicon/lexicon.ts'
import type { Opening } from '../lexicon/opening.ts'
import type { MarkerJudge } from './marker-judge.ts'

/** What follows a candidate: it proves it, disproves it, is still to come, or is part of it. */
type Proof = 'proven' | 'disproven' | 'open' | 'goes-on' | FurtherCall

/** Another call, in the same fence. Its opener stands where the input does. */
interface FurtherCall {
  readonly opening: Opening
  readonly length: number
}

/** Decides whether the model meant a candidate as a call, by what follows it. */
export class CandidateJudge {
  private readonly input: TextWindow
  private readonly lexicon: Lexicon
  private readonly markers: MarkerJudge

  constructor(input: TextWindow, lexicon: Lexicon, markers: MarkerJudge) {
    this.input = input
    this.lexicon = lexicon
    this.markers = markers
  }

  /**
   * Another call, or nothing more: then it was meant as a call. What prose follows was an example, or
   * a draft.
   */
  judge(candidate: Candidate): Proof {
    const { input } = this
    const { found } = candidate
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return input.final ? 'proven' : 'open'
    const vocabulary = found.as === 'in-reasoning' ? this.lexicon.reasoning : this.behindContent()
    const length = vocabulary.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'open'
    if (length === NONE) return 'disproven'
    const entry = vocabulary.found
    const isOwnCloser = entry.is === 'residue' && found.as !== 'in-reasoning'
    if (entry.is === 'turn-token' || isOwnCloser) {
      input.at += length
      const code = isOwnCloser ? 'residue' : 'turn-token'
      input.observer?.removed(code, input.position - length, input.position)
      candidate.evidence.repair(code, repairCodes[code])
      return 'goes-on'
    }
    if (entry.is === 'fence-mark') return this.judgeFence(candidate)
    if (entry.is === 'stripped') return this.judgeStripped(entry, length)
    if (entry.is !== 'opener' || found.as === 'bare') return 'disproven'
    const opening = this.markers.openers.findOpening(entry.openings, input.at, length)
    if (opening === 'hold') return 'open'
    if (opening === undefined) return 'disproven'
    if (candidate.fence === undefined) return 'proven'
    return { opening, length: opening.opens === 'bare' ? 0 : length }
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
