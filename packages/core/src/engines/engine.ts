import type { TextWindow } from '../text/text-window.ts'
import type { CallWriter } from './call-writer.ts'
import type { ToolSet } from './tool-set.ts'

/** Why the model stopped, where the upstream says so. */
export type EndReason = 'stop' | 'length' | 'tool_calls' | 'error'

export interface EngineContext {
  readonly input: TextWindow
  readonly writer: CallWriter
  readonly tools: ToolSet
  /** The engine reads a candidate: anything odd in it is reason enough to take it for text. */
  readonly isTentative: boolean
  /** The tool that stands in front of the opener, for a call that names none itself. */
  readonly addressee?: string | undefined
}

/**
 * Reads one stretch of markup, from its opener on. It is started with the input right behind the
 * opener, with the call already begun on the writer.
 */
export interface Engine {
  /**
   * Reads on. `again`: there was progress. `more`: the text at hand is not enough.
   * `done`: what follows is not for this engine; every call that was begun is ended.
   */
  step(): 'again' | 'more' | 'done'
  /** It is done, but the section or block it read was not closed: the closer is still to come. */
  readonly leavesOpen: boolean
  /** The stream is over while `step` wants more. Ends whatever is open. */
  finish(reason: EndReason | undefined): void
}

/** Whether a call follows the opener. `more`: the text at hand is not enough to tell. */
export type Probe = 'yes' | 'no' | 'more'
