import { emitKeypressEvents, type Interface, type Key } from 'node:readline'
import { Readable } from 'node:stream'

/** Where keys come from. Only a terminal has a raw mode. */
export type KeySource = Readable & { setRawMode?: (isRaw: boolean) => unknown }

/** Takes a key that is no plain character. Escape sequences have no text. */
export type TakeKey = (text: string | undefined, key: Key) => void

interface Keypress {
  readonly text: string | undefined
  readonly key: Key
}

/**
 * The keyboard, as readline's input. Readline itself would append text that comes in one piece to the line, wherever
 * the cursor is, and lose count of the rows that it fills. So it reads nothing from here: each key is handed to its
 * `write`, and characters that come together are handed over together, as one long line would otherwise take minutes.
 */
export class Keyboard extends Readable {
  private readonly source: KeySource
  private editor: Interface | undefined
  private takeKey: TakeKey = () => {}
  private pressed: Keypress[] = []

  constructor(source: KeySource) {
    super()
    this.source = source
    source.once('end', () => this.push(null))
  }

  /** Begins to hand keys to the editor, and those that are no characters to `takeKey`. */
  connect(editor: Interface, takeKey: TakeKey): void {
    this.editor = editor
    this.takeKey = takeKey
    emitKeypressEvents(this.source, editor)
    this.source.on('keypress', this.onKeypress)
  }

  disconnect(): void {
    this.editor = undefined
    this.source.off('keypress', this.onKeypress)
  }

  setRawMode(isRaw: boolean): this {
    this.source.setRawMode?.(isRaw)
    return this
  }

  override pause(): this {
    this.source.pause()
    return super.pause()
  }

  override resume(): this {
    this.source.resume()
    return super.resume()
  }

  override _read(): void {
    // Keys do not come this way; only the end of the input does.
  }

  private readonly onKeypress = (text: string | undefined, key: Key): void => {
    // All keys of one chunk are reported in one go: behind it they are known.
    if (this.pressed.length === 0) process.nextTick(() => this.flush())
    this.pressed.push({ text, key })
  }

  private flush(): void {
    const { pressed } = this
    this.pressed = []
    let characters = ''
    for (const { text, key } of pressed) {
      if (isCharacter(text, key)) {
        characters += text
      } else {
        this.insert(characters)
        characters = ''
        if (this.editor !== undefined) this.takeKey(text, key)
      }
    }
    this.insert(characters)
  }

  private insert(characters: string): void {
    if (characters !== '') this.editor?.write(characters)
  }
}

function isCharacter(text: string | undefined, { ctrl, meta }: Key): text is string {
  return text !== undefined && ctrl !== true && meta !== true && /^\P{Cc}+$/u.test(text)
}
