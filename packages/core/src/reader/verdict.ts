import type { Fence } from './code-fence.ts'
import type { Opening } from './lexicon/opening.ts'

/** What a marker is, where it stands. `text`: none after all. `hold`: more text is needed. `passed`: dealt with. */
export type Verdict = Found | 'text' | 'hold' | 'passed'

/** An opener, and how sure it is. */
export interface Found {
  readonly opening: Opening
  readonly at: number
  readonly length: number
  /** Anything but `certain` has to prove itself. */
  readonly as: 'certain' | 'in-reasoning' | 'salvage' | 'bare' | 'fenced'
  /** Where its markup begins: before the opener, if a fence stands around it. */
  readonly from: number
  readonly fence?: Fence
}
