import type { Io } from '../terminal/io.ts'
import { readLines } from '../terminal/lines.ts'
import type { Interrupts } from './interrupts.ts'
import type { InputHistory } from './store/input-history.ts'
import { LineEditor } from './view/line-editor.ts'

/** Where inputs come from: a person at a terminal, or a pipe. */
export interface Console {
  readonly isTerminal: boolean
  readonly inputs: AsyncIterable<string>
  /** Asks the user; undefined where nobody can be asked. */
  readonly question: ((text: string, choices: string) => Promise<string>) | undefined
  close(): void
}

export interface ConsoleOptions {
  readonly io: Io
  readonly history: InputHistory
  readonly interrupts: Interrupts
  readonly prompt: () => string
  /** False where no input is typed, even if there is a terminal. */
  readonly isInteractive: boolean
}

export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const { io, isInteractive, interrupts } = options
  let opened: LineEditor | undefined
  const stopListening = listenToSignals(interrupts, () => opened?.close())
  const canType = io.stdin.isTTY && !io.stdin.readableEnded && io.stdout.isTerminal
  if (!isInteractive || !canType) {
    const inputs = pipedInputs(io)
    return { isTerminal: false, inputs, question: undefined, close: stopListening }
  }
  const typed = await options.history.load()
  // The editor opens when it is first needed: what is typed while a single prompt is answered belongs to the shell.
  const editor = (): LineEditor => (opened ??= openEditor(options, typed))
  return {
    isTerminal: true,
    inputs: { [Symbol.asyncIterator]: () => editor()[Symbol.asyncIterator]() },
    question: (text, choices) => editor().question(text, choices),
    close: () => {
      stopListening()
      opened?.close()
    },
  }
}

function openEditor(
  { io, history, interrupts, prompt }: ConsoleOptions,
  typed: readonly string[],
): LineEditor {
  return new LineEditor({
    input: io.stdin,
    terminal: process.stdout,
    prompt,
    history: typed,
    onTyped: (line) => void history.add(line),
    onInterrupt: () => interrupts.interrupt(),
    hint: io.stdout.style('dim', 'Ctrl-C once more leaves; so do Ctrl-D and /exit.'),
  })
}

async function* pipedInputs({ stdin }: Io): AsyncGenerator<string> {
  for await (const { text } of readLines(stdin)) if (text !== null) yield text
}

/**
 * SIGINT stops the answer first. A signal to end ends the program and the commands that it runs. `close` restores the
 * terminal.
 */
function listenToSignals(interrupts: Interrupts, close: () => void): () => void {
  const end = (code: number): void => {
    close()
    process.exit(code)
  }
  const onInterrupt = (): void => {
    if (!interrupts.interrupt()) end(130)
  }
  const onTerminate = (): void => end(143)
  const onHangup = (): void => end(129)
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate).on('SIGHUP', onHangup)
  return () => {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate).off('SIGHUP', onHangup)
  }
}
