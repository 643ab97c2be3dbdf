import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { LineEditor } from '../../src/chat/view/line-editor.ts'

interface Typing {
  readonly editor: LineEditor
  readonly inputs: AsyncIterator<string>
  readonly type: (keys: string) => Promise<void>
  /** What stands on the terminal, without what only styles it. */
  readonly screen: () => string
  readonly interrupts: () => number
  readonly typed: string[]
}

/** Streams pass on what they are given within one turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function start(history: readonly string[] = []): Typing {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input })
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  let shown = ''
  terminal.setEncoding('utf8').on('data', (text: string) => (shown += text))
  let interrupts = 0
  const typed: string[] = []
  const editor = new LineEditor({
    input,
    terminal,
    prompt: () => 'you> ',
    history,
    onTyped: (line) => typed.push(line),
    onInterrupt: () => interrupts++,
    hint: 'once more leaves',
  })
  return {
    editor,
    inputs: editor[Symbol.asyncIterator](),
    type: async (keys) => {
      input.write(keys)
      await turn()
    },
    screen: () => stripVTControlCharacters(shown),
    interrupts: () => interrupts,
    typed,
  }
}
const ctrlC = '\u0003'
const ctrlD = '\u0004'
const up = '\u001b[A'

describe('typing', () => {
  it('a line is an input, and is remembered', async () => {
    const { inputs, type, typed, editor } = start()
    const input = inputs.next()
    await type('hello\r')
    expect(await input).toEqual({ done: false, value: 'hello' })
    expect(typed).toEqual(['hello'])
    editor.close()
  })

  it('a backslash at the end goes on with the next line', async () => {
    const { inputs, type, editor } = start()
    const input = inputs.next()
    await type('one\\\r')
    await type('two\r')
    expect(await input).toEqual({ done: false, value: 'one\ntwo' })
    editor.close()
  })

  it('what is pasted is one input, however many lines it has', async () => {
    const { inputs, type, editor } = start()
    const input = inputs.next()
    await type('\u001b[200~one\rtwo\rthree\u001b[201~')
    await type(' four\r')
    expect(await input).toEqual({ done: false, value: 'one\ntwo\nthree four' })
    editor.close()
  })

  it('what is pasted into the middle of a line stands there', async () => {
    const { inputs, type, editor } = start()
    const input = inputs.next()
    await type('one four')
    await type('\u0001\u001b[C\u001b[C\u001b[C')
    await type(' two three')
    await type('\r')
    expect(await input).toEqual({ done: false, value: 'one two three four' })
    editor.close()
  })

  it('what comes in one piece with keys around it stands where they put it', async () => {
    const { inputs, type, editor } = start()
    const input = inputs.next()
    await type('one four\u0001\u001b[C\u001b[C\u001b[C two three\u0005.\r')
    expect(await input).toEqual({ done: false, value: 'one two three four.' })
    editor.close()
  })

  it('a long line that is pasted is taken as it is, without delay', async () => {
    const { inputs, type, editor } = start()
    const input = inputs.next()
    const long = 'ab 12 '.repeat(50_000)
    await type(`\u001b[200~${long}\u001b[201~\r`)
    expect(await input).toEqual({ done: false, value: long })
    editor.close()
  })

  it('what was typed in an earlier chat comes back with the arrow', async () => {
    const { inputs, type, editor } = start(['latest', 'older'])
    const input = inputs.next()
    await type(`${up}${up}\r`)
    expect(await input).toEqual({ done: false, value: 'older' })
    editor.close()
  })

  it('a pasted block comes back whole with the arrow, and can be changed', async () => {
    const { inputs, type, screen, typed, editor } = start()
    const pasted = inputs.next()
    await type('\u001b[200~one\r\rthree\u001b[201~\r')
    expect(await pasted).toEqual({ done: false, value: 'one\n\nthree' })
    expect(typed).toEqual(['one\n\nthree'])
    const again = inputs.next()
    await type(up)
    expect(screen()).toContain('you> one↵↵three')
    await type('\r')
    expect(await again).toEqual({ done: false, value: 'one\n\nthree' })
    const changed = inputs.next()
    await type(`${up} four\r`)
    expect(await changed).toEqual({ done: false, value: 'one\n\nthree four' })
    const older = inputs.next()
    await type(`${up}${up}\r`)
    expect(await older).toEqual({ done: false, value: 'one\n\nthree' })
    editor.close()
  })

  it('a block of an earlier chat comes back whole, also one that holds the sign of a line end', async () => {
    const block = 'press ↵\nthen ⏎'
    const { inputs, type, editor } = start([block, 'a\nb'])
    const first = inputs.next()
    await type(`${up}\r`)
    expect(await first).toEqual({ done: false, value: block })
    const second = inputs.next()
    await type(`${up}${up}\r`)
    expect(await second).toEqual({ done: false, value: 'a\nb' })
    editor.close()
  })

  it('the sign of a line end that is typed is no line end', async () => {
    const { inputs, type, editor } = start(['a\nb'])
    const input = inputs.next()
    await type(`${up}\u001b[Bpress ↵\r`)
    expect(await input).toEqual({ done: false, value: 'press ↵' })
    const after = inputs.next()
    await type(`${up}${up}${ctrlC}`)
    await type('a↵b\r')
    expect(await after).toEqual({ done: false, value: 'a↵b' })
    editor.close()
  })

  it('lines that a backslash joins come back together', async () => {
    const { inputs, type, typed, editor } = start()
    const input = inputs.next()
    await type('one\\\r')
    await type('two\r')
    await input
    expect(typed).toEqual(['one\ntwo'])
    const again = inputs.next()
    await type(`${up}\r`)
    expect(await again).toEqual({ done: false, value: 'one\ntwo' })
    editor.close()
  })

  it('while an answer comes it is not shown, and stands at the next prompt', async () => {
    const { inputs, type, screen, editor } = start()
    await type('typed ahead\rand more')
    expect(screen()).toBe('')
    expect(await inputs.next()).toEqual({ done: false, value: 'typed ahead' })
    const input = inputs.next()
    await turn()
    expect(screen()).toBe('you> typed ahead\nyou> and more')
    await type('\r')
    expect(await input).toEqual({ done: false, value: 'and more' })
    editor.close()
  })
})

describe('Ctrl-C', () => {
  it('while an answer comes stops it, and forgets what was typed ahead', async () => {
    const { inputs, type, interrupts, editor } = start()
    await type('ahead\r')
    await type(ctrlC)
    expect(interrupts()).toBe(1)
    const input = inputs.next()
    await type('new\r')
    expect(await input).toEqual({ done: false, value: 'new' })
    editor.close()
  })

  it('clears a line that was begun, and does not leave', async () => {
    const { inputs, type, editor } = start()
    const input = inputs.next()
    await type(`wrong${ctrlC}`)
    await type(`also wrong\\\r${ctrlC}`)
    await type('right\r')
    expect(await input).toEqual({ done: false, value: 'right' })
    editor.close()
  })

  it('at an empty prompt says how to leave, and twice leaves', async () => {
    const { inputs, type, screen } = start()
    const input = inputs.next()
    await type(ctrlC)
    expect(screen()).toContain('once more leaves')
    await type(ctrlC)
    expect(await input).toEqual({ done: true, value: undefined })
    expect(await inputs.next()).toEqual({ done: true, value: undefined })
  })

  it('twice leaves only where nothing was typed between', async () => {
    const { inputs, type, editor } = start()
    const input = inputs.next()
    await type(ctrlC)
    await type('one\r')
    await input
    const next = inputs.next()
    await type(ctrlC)
    await type('two\r')
    expect(await next).toEqual({ done: false, value: 'two' })
    editor.close()
  })
})

describe('a question', () => {
  it('is answered by what is typed after it was seen', async () => {
    const { type, editor, typed, screen } = start()
    await type('y\ry')
    const answer = editor.question('Run rm?', '[y/N]')
    await type('n\r')
    expect(await answer).toBe('n')
    expect(screen()).toContain('Run rm?\n[y/N] ')
    expect(typed).not.toContain('n')
    editor.close()
  })

  it('does not become part of what the arrow brings back', async () => {
    const { inputs, type, editor } = start()
    const first = inputs.next()
    await type('first\r')
    await first
    const answer = editor.question('Run?', '[y/N]')
    await type('y\r')
    await answer
    const input = inputs.next()
    await type(`${up}\r`)
    expect(await input).toEqual({ done: false, value: 'first' })
    editor.close()
  })

  it('Ctrl-C says no, and stops the answer', async () => {
    const { type, editor, interrupts } = start()
    const answer = editor.question('Run?', '[y/N]')
    await type(ctrlC)
    expect(await answer).toBe('')
    expect(interrupts()).toBe(1)
    editor.close()
  })

  it('is no where the terminal is gone', async () => {
    const { type, editor } = start()
    const answer = editor.question('Run?', '[y/N]')
    await type(ctrlD)
    expect(await answer).toBe('')
    expect(await editor.question('Run?', '[y/N]')).toBe('')
  })
})
