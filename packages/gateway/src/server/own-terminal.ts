import { closeSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'

/**
 * The terminal that the process was started on. There is none under `nohup`, where standard input is something else.
 */
export class OwnTerminal {
  private readonly wasThere = isatty(0) && openTerminal() === 'opened'

  get isGone(): boolean {
    return this.wasThere && openTerminal() === 'gone'
  }

  /**
   * Ends the process by a signal if its terminal is gone. At an ordinary exit Node restores the terminal's settings,
   * and aborts with a memory dump where that fails.
   */
  endIfGone(): void {
    if (!this.isGone) return
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  }
}

export interface HangupListener {
  /** Is called when somebody asks to read the configuration and to open the log again. */
  readonly onAsked: () => void
  /** Is called when the terminal was closed: a gateway that nobody sees any more must not keep the port. */
  readonly onClosed: () => void
}

/**
 * Tells the two meanings of SIGHUP apart. It listens until the process ends, as a shell repeats the signal of a
 * closed terminal, and the second one must not cut the requests that the first one lets end.
 */
export function hearHangups(terminal: OwnTerminal, { onAsked, onClosed }: HangupListener): void {
  process.on('SIGHUP', () => (terminal.isGone ? onClosed() : onAsked()))
}

function openTerminal(): 'opened' | 'gone' | 'unknown' {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return 'opened'
  } catch (error) {
    // Any other error, such as too many open files, tells nothing about the terminal.
    return error instanceof Error && 'code' in error && error.code === 'ENXIO' ? 'gone' : 'unknown'
  }
}
