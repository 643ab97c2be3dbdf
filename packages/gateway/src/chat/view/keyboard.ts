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
 * The keyboard as readline's input. Given the terminal itself, readline would append text that comes in one piece to
 * the end of the line, wherever the cursor is, and miscount the rows that the line fills. So readline reads nothing
 * from this stream, and keys are handed to its `write`. Characters that come together are handed over together, as
 * readline takes minutes for a long line that comes one by one.
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

  /** Starts to hand characters to the editor, and all other keys to `takeKey`. */
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
    // Keys are not read from this stream. Only its end is.
  }

  private readonly onKeypress = (text: string | undefined, key: Key): void => {
    // All keys of a chunk are emitted in one go, so they are handled together after it.
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
