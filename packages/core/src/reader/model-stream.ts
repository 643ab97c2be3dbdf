import type { Sink } from '../events.ts'
import type { Input } from '../text/input.ts'
import type { TextFlow } from './text-flow.ts'

/** What the model writes, as it is read: the text at hand, and where it goes. */
export interface ModelStream {
  readonly input: Input
  /** For what there is to say about the text. */
  readonly sink: Sink
  /** For the text itself. */
  readonly flow: TextFlow
}
