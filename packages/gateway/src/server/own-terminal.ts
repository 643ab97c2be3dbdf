import { closeSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'

/**
 * The terminal that the process was started on, if it was on one. With `nohup` it was not: then standard input is
 * something else.
 */
export class OwnTerminal {
  private readonly wasThere = isatty(0) && openTerminal() === 'opened'

  get isGone(): boolean {
    return this.wasThere && openTerminal() === 'gone'
  }

  /**
   * Ends the process if its terminal is gone. Node's own end would give a terminal back the settings it had, and
   * abort with a dump of its memory where that fails.
   */
  endIfGone(): void {
    if (!this.isGone) return
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  }
}

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

function openTerminal(): 'opened' | 'gone' | 'unknown' {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return 'opened'
  } catch (error) {
    // Any other failure, such as too many open files, says nothing about the terminal.
    return error instanceof Error && 'code' in error && error.code === 'ENXIO' ? 'gone' : 'unknown'
  }
}
