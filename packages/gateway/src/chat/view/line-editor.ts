import { createInterface, type Interface, type Key } from 'node:readline'
import { Keyboard, type KeySource } from './keyboard.ts'
import { PromptOutput, type Terminal } from './prompt-output.ts'
import { type LineEndMark, RecalledInputs } from './recalled-inputs.ts'

export interface LineEditorOptions {
  readonly input: KeySource
  readonly terminal: Terminal
  readonly prompt: () => string
  /** Earlier inputs, the latest first. */
  readonly history: readonly string[]
  readonly onTyped: (input: string) => void
  /** Is called for Ctrl-C while an answer comes. */
  readonly onInterrupt: () => void
  readonly hint: string
}

/** What the next line is for. */
type Waiting =
  /** An answer is coming, so the line is kept. */
  | { readonly for: 'nothing' }
  | { readonly for: 'input'; readonly take: (input: string | undefined) => void }
  | { readonly for: 'answer'; readonly take: (answer: string) => void }

const MORE = '… '

/** Reads what is typed at a terminal. Lines that are typed while an answer comes are kept for the next prompt. */
export class LineEditor implements AsyncIterable<string> {
  private readonly options: LineEditorOptions
  private readonly output: PromptOutput
  private readonly keyboard: Keyboard
  private readonly editor: Interface
  private waiting: Waiting = { for: 'nothing' }
  private readonly ahead: string[] = []
  /** The lines of an input that is not complete yet. */
  private begun: string[] = []
  private readonly recalled: RecalledInputs
  /** Stands for line ends in the line that is being edited, where an arrow key has brought it back. */
  private mark: LineEndMark | null = null
  private isPasting = false
  private isLeaving = false
  private isClosed = false

  constructor(options: LineEditorOptions) {
    this.options = options
    const { input, terminal, history } = options
    this.output = new PromptOutput(terminal)
    this.keyboard = new Keyboard(input)
    this.recalled = new RecalledInputs(history)
    this.editor = createInterface({
      input: this.keyboard,
      output: this.output,
      terminal: true,
      history: this.recalled.lines,
      historySize: 1000,
      removeHistoryDuplicates: true,
      // Escape alone does nothing here, so readline need not wait long for the rest of a sequence.
      escapeCodeTimeout: 50,
    })
    this.output.isMuted = true
    this.editor.on('line', (line) => this.onLine(line))
    this.editor.on('history', (lines: string[]) => this.recalled.restore(lines))
    this.editor.on('SIGINT', () => this.onInterrupt())
    // After Ctrl-Z and `fg` readline leaves its input paused, and nothing else would keep the process alive.
    this.editor.on('SIGCONT', () => this.editor.resume())
    this.editor.on('close', () => this.onClose())
    this.keyboard.connect(this.editor, (text, key) => this.onKey(text, key))
    // Asks the terminal to mark pasted text, so that its line ends do not end the input.
    terminal.write('\u001b[?2004h')
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: async () => {
        const input = await this.next()
        return input === undefined ? { done: true, value: undefined } : { done: false, value: input }
      },
    }
  }

  /** Asks a question. Anything that was typed before the question was shown is no answer to it. */
  async question(text: string, choices: string): Promise<string> {
    if (this.isClosed) return ''
    this.ahead.length = 0
    this.clearLine()
    this.options.terminal.write(`${text}\n`)
    return new Promise((resolve) => {
      this.waiting = { for: 'answer', take: resolve }
      this.prompt(`${choices} `)
    })
  }

  close(): void {
    if (!this.isClosed) this.editor.close()
  }

  private async next(): Promise<string | undefined> {
    const ahead = this.ahead.shift()
    if (ahead !== undefined) {
      this.options.terminal.write(`${this.options.prompt()}${ahead}\n`)
      return ahead
    }
    if (this.isClosed) return undefined
    return new Promise((resolve) => {
      this.waiting = { for: 'input', take: resolve }
      this.prompt(this.options.prompt())
    })
  }

  private prompt(text: string): void {
    this.output.isMuted = false
    this.editor.setPrompt(text)
    this.editor.prompt(true)
  }

  private onLine(shown: string): void {
    this.isLeaving = false
    const { waiting } = this
    const line = this.mark === null ? shown : shown.replaceAll(this.mark, '\n')
    this.mark = null
    if (waiting.for === 'answer') {
      this.settle()
      waiting.take(line)
      return
    }
    const goesOn = line.endsWith('\\') && !this.isPasting
    this.begun.push(goesOn ? line.slice(0, -1) : line)
    if (goesOn || this.isPasting) {
      if (waiting.for === 'input') this.prompt(MORE)
      return
    }
    const input = this.begun.join('\n')
    this.begun = []
    this.recalled.add(input)
    if (input.trim() !== '') this.options.onTyped(input)
    if (waiting.for === 'nothing') {
      this.ahead.push(input)
      return
    }
    this.settle()
    waiting.take(input)
  }

  private onInterrupt(): void {
    const { waiting } = this
    if (waiting.for === 'answer') {
      this.settle()
      this.options.terminal.write('\n')
      this.options.onInterrupt()
      waiting.take('')
    } else if (waiting.for === 'nothing') {
      this.ahead.length = 0
      this.options.onInterrupt()
    } else if (this.editor.line !== '' || this.begun.length > 0) {
      this.begun = []
      this.clearLine()
      this.prompt(this.options.prompt())
    } else if (this.isLeaving) {
      this.close()
    } else {
      this.isLeaving = true
      this.options.terminal.write(`\n${this.options.hint}\n`)
      this.prompt(this.options.prompt())
    }
  }

  private onClose(): void {
    this.isClosed = true
    this.keyboard.disconnect()
    this.options.terminal.write('\u001b[?2004l')
    if (this.waiting.for !== 'nothing') this.options.terminal.write('\n')
    this.output.destroy()
    const { waiting } = this
    this.waiting = { for: 'nothing' }
    if (waiting.for === 'input') waiting.take(undefined)
    if (waiting.for === 'answer') waiting.take('')
  }

  private settle(): void {
    this.waiting = { for: 'nothing' }
    this.output.isMuted = true
  }

  private clearLine(): void {
    this.mark = null
    this.editor.write(null, { ctrl: true, name: 'e' })
    this.editor.write(null, { ctrl: true, name: 'u' })
  }

  private onKey(text: string | undefined, key: Key): void {
    if (key.name === 'paste-start') this.isPasting = true
    else if (key.name === 'paste-end') this.isPasting = false
    else this.press(text, key)
  }

  private press(text: string | undefined, key: Key): void {
    const before = this.editor.line
    this.editor.write(text ?? null, key)
    const { line } = this.editor
    if (line !== before && isRecall(key)) this.mark = this.recalled.markIn(line)
  }
}

/** Whether a key brings back an earlier input, or a later one. */
function isRecall({ name, ctrl }: Key): boolean {
  return name === 'up' || name === 'down' || (ctrl === true && (name === 'p' || name === 'n'))
}
