import { Writable } from 'node:stream'

/** The part of a terminal that is used here. */
export type Terminal = Writable & { readonly columns: number; readonly rows: number }

/** The terminal as the line editor sees it. While an answer comes, typed characters must not be written into it. */
export class PromptOutput extends Writable {
  isMuted = false
  private readonly terminal: Terminal

  constructor(terminal: Terminal) {
    super({ decodeStrings: false })
    this.terminal = terminal
    terminal.on('resize', this.onResize)
  }

  get columns(): number {
    return this.terminal.columns
  }

  get rows(): number {
    return this.terminal.rows
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isMuted) this.terminal.write(chunk)
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.terminal.off('resize', this.onResize)
    done(error)
  }

  private readonly onResize = (): void => {
    this.emit('resize')
  }
}
