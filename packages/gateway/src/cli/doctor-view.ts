import { printable } from '../base/printable.ts'
import { isTooSmall } from '../doctor/agent-window.ts'
import type { CheckedFinding, Status } from '../doctor/finding.ts'
import type { Io } from '../terminal/io.ts'
import type { Style } from '../terminal/output.ts'

/** What all findings come to. */
export interface Outcome {
  readonly works: boolean
  /** The tokens that the model takes, or null where nothing tells. */
  readonly window: number | null
  /** The lines of configuration without which it does not work; null where it needs none. */
  readonly lines: string | null
  /** The file in which the lines belong. */
  readonly file: string
  /** The command that starts the gateway. */
  readonly start: string
}

/** The longest title of a check. */
const TITLE_WIDTH = 23

const styles: Readonly<Record<Status, Style>> = {
  ok: 'green',
  note: 'cyan',
  warn: 'yellow',
  fail: 'red',
  skipped: 'dim',
}

/** Tells people what the doctor finds, while it is found. */
export class DoctorView {
  private readonly io: Io
  private readonly isJson: boolean

  constructor(io: Io, isJson: boolean) {
    this.io = io
    this.isJson = isJson
  }

  async begin(url: string): Promise<void> {
    if (!this.isJson) await this.io.stdout.line(`${url}\n`)
  }

  /** A line that says what is being waited for. It is gone when the finding is there. */
  wait(title: string): void {
    if (this.io.stderr.isTerminal) void this.io.stderr.write(`\r\u001B[K${title} …`)
  }

  async show({ status, title, seen, advice, blockedBy }: CheckedFinding): Promise<void> {
    const { stdout, stderr } = this.io
    if (stderr.isTerminal) await stderr.write('\r\u001B[K')
    if (this.isJson || blockedBy !== undefined) return
    const word = stdout.style(styles[status], status.padEnd(7))
    const told = advice === undefined ? '' : ` ${stdout.style('bold', '→')} ${oneLine(advice)}`
    await stdout.line(`${word} ${title.padEnd(TITLE_WIDTH)} ${oneLine(seen).replace(/\.+$/, '')}.${told}`)
  }

  async end(outcome: Outcome): Promise<void> {
    const { stdout } = this.io
    const { works, lines } = outcome
    if (!works) {
      await stdout.line(`\n${stdout.style('red', 'Agents do not work with this upstream.')}`)
      return
    }
    const style = isTooSmall(outcome.window) ? 'yellow' : 'green'
    const told = stdout.style(style, verdict(outcome))
    const parts = lines === null ? [`${told} ${starting}`] : [told, lines.trimEnd(), starting]
    await stdout.line(`\n${[...parts, outcome.start].join('\n\n')}`)
  }
}

const starting = 'Start the gateway with:'

function verdict({ window, lines, file }: Outcome): string {
  const lined = lines === null ? '.' : ` with these lines in ${file}:`
  if (window === null || !isTooSmall(window)) {
    return lines === null ? 'Agents work with this upstream.' : `Agents work${lined}`
  }
  const small = `The window of ${window.toLocaleString('en')} tokens is too small for coding agents.`
  return `${small} Calls work${lined}`
}

/** What a server says goes to the terminal only in characters that do nothing there. */
function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ')
}
