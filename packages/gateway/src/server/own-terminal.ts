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

function openTerminal(): 'opened' | 'gone' | 'unknown' {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return 'opened'
  } catch (error) {
    // Any other failure, such as too many open files, says nothing about the terminal.
    return error instanceof Error && 'code' in error && error.code === 'ENXIO' ? 'gone' : 'unknown'
  }
}
