import type { Output, Style } from '../../terminal/output.ts'
import type { ChatEvent, ChatView } from '../chat-event.ts'
import { printable, PrintableStream } from '../../base/printable.ts'
import { ShownCall, shownResult } from './shown-call.ts'

/** What the last characters on the screen are part of. */
type Place = 'line start' | 'text' | 'reasoning' | 'call'

export type ScreenOutput = Pick<Output, 'isTerminal' | 'write' | 'style'>

export interface ScreenOptions {
  readonly stdout: ScreenOutput
  readonly stderr: ScreenOutput
  /** Whether the terminal can erase a line. */
  readonly canErase: boolean
  /** Is called when the reader has left. */
  readonly onBroken: () => void
}

/**
 * Shows a chat to people. On a terminal everything appears in one place. Elsewhere standard output gets the answers
 * and the output of commands, and standard error the rest.
 */
export class Screen implements ChatView {
  private readonly text: ScreenOutput
  private readonly aside: ScreenOutput
  private readonly waiting: WaitingLine | undefined
  private readonly stream = new PrintableStream()
  private place: Place = 'line start'
  /** White space that was received and is not shown yet. */
  private space = ''
  private call = new ShownCall()
  private readonly onBroken: () => void
  private broken: unknown

  constructor({ stdout, stderr, canErase, onBroken }: ScreenOptions) {
    this.onBroken = onBroken
    this.text = stdout
    this.aside = stdout.isTerminal ? stdout : stderr
    if (stdout.isTerminal && canErase) {
      this.waiting = new WaitingLine((text) => this.write(stdout, stdout.style('dim', text)))
    }
  }

  show(event: ChatEvent): void {
    this.waiting?.stop()
    switch (event.type) {
      case 'start':
        this.waiting?.start('… waiting; Ctrl-C stops')
        break
      case 'text':
        this.flow('text', event.text)
        break
      case 'reasoning':
        this.flow('reasoning', event.text)
        break
      case 'call-start':
        this.enter('call')
        this.call = new ShownCall()
        this.write(this.aside, `${this.aside.style('cyan', `→ ${printable(event.name)}`)} `)
        break
      case 'call-delta':
        this.write(this.aside, this.aside.style('dim', this.call.push(event.json)))
        break
      case 'call-end':
        this.write(this.aside, this.aside.style('dim', this.call.end()))
        this.freshLine()
        break
      case 'problem':
        this.line('yellow', `problem ${event.code}: ${event.message}`)
        break
      case 'finish':
        this.freshLine()
        if (event.reason === 'length')
          this.line('yellow', 'The upstream cut the answer off: it was too long.')
        if (event.reason === 'content-filter') this.line('yellow', 'The upstream withheld the rest.')
        break
      case 'stopped':
        this.line('yellow', '[stopped]')
        break
      case 'error':
        this.line('red', `error: ${event.message}${event.code === 'command' ? '' : ` (${event.code})`}`)
        break
      case 'tool-start':
        this.freshLine()
        this.waiting?.start(`  … running ${printable(event.name)}; Ctrl-C stops`)
        break
      case 'tool-end':
        this.result(event)
        break
      case 'note':
        this.line('yellow', event.message)
        break
      case 'usage':
      case 'repair':
    }
  }

  print(text: string): void {
    this.waiting?.stop()
    this.freshLine()
    this.write(this.text, `${text}\n`)
  }

  async flush(): Promise<void> {
    this.waiting?.stop()
    if (this.broken !== undefined) throw this.broken
  }

  private result({ name, result, isError }: Extract<ChatEvent, { type: 'tool-end' }>): void {
    this.freshLine()
    const [first = '', ...others] = shownResult(result)
    const mark = this.aside.style(isError ? 'red' : 'green', isError ? '✗' : '✓')
    const lines = [`  ${mark} ${this.aside.style('dim', `${printable(name)}: ${first}`)}`]
    for (const line of others) lines.push(`    ${this.aside.style('dim', line)}`)
    this.write(this.aside, `${lines.join('\n')}\n`)
  }

  private line(style: Style, message: string): void {
    this.freshLine()
    this.write(this.aside, `${this.aside.style(style, printable(message))}\n`)
  }

  /** Empty lines are held until text follows: many models write some before a call and at the end. */
  private flow(place: 'text' | 'reasoning', text: string): void {
    const isNew = this.place !== place
    const written = this.stream.push(text)
    const shown = written.trimEnd()
    if (shown === '') {
      // Empty lines alone do not begin an answer either.
      if (!isNew) this.space += written
      return
    }
    this.enter(place)
    const whole = isNew ? shown.replace(/^\s*\n/, '') : this.space + shown
    this.space = written.slice(shown.length)
    if (place === 'text') this.write(this.text, whole)
    else this.write(this.aside, this.aside.style('dim', whole))
  }

  private enter(place: Exclude<Place, 'line start'>): void {
    if (this.place === place) return
    this.freshLine()
    this.place = place
  }

  /** Ends an unfinished line, on the stream that it is on. */
  private freshLine(): void {
    const { place } = this
    if (place === 'line start') return
    this.place = 'line start'
    this.space = ''
    this.write(place === 'text' ? this.text : this.aside, `${this.stream.end()}\n`)
  }

  private write(output: ScreenOutput, text: string): void {
    if (text === '') return
    output.write(text).catch((error: unknown) => {
      if (this.broken === undefined) this.onBroken()
      this.broken ??= error
    })
  }
}

const PATIENCE_MS = 1000

/** Says what the chat is waiting for when it takes long. The line vanishes as soon as the wait is over. */
export class WaitingLine {
  private readonly write: (text: string) => void
  private timer: NodeJS.Timeout | undefined
  private isShown = false

  constructor(write: (text: string) => void) {
    this.write = write
  }

  start(text: string): void {
    this.stop()
    this.timer = setTimeout(() => {
      this.isShown = true
      this.write(text)
    }, PATIENCE_MS)
  }

  stop(): void {
    clearTimeout(this.timer)
    if (this.isShown) this.write('\r\u001b[K')
    this.isShown = false
  }
}
