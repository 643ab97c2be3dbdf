import type { OwnTerminal } from './own-terminal.ts'

export interface HangupListener {
  /** Somebody asks for the configuration to be read again, and for the log to be opened again. */
  readonly onAsked: () => void
  /** The terminal was closed: a gateway that nobody sees any more must not keep the port. */
  readonly onClosed: () => void
}

/**
 * Tells the two meanings of SIGHUP apart, to the end of the process: a shell repeats the signal of a terminal that is
 * closed, and the second one must not cut what the first lets come to its end.
 */
export function hearHangups(terminal: OwnTerminal, { onAsked, onClosed }: HangupListener): void {
  process.on('SIGHUP', () => (terminal.isGone ? onClosed() : onAsked()))
}
