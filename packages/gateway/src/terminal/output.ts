import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { isatty } from 'node:tty'
import { styleText } from 'node:util'

/**
 * A write throws this when its reader has left, as in `dragoman … | head -1`. The command then ends without an error.
 */
export class BrokenPipe extends Error {}

export type Style = Parameters<typeof styleText>[0]

/** One of the standard streams. A write waits until there is room, so that a slow reader slows the command down. */
export class Output {
  readonly isTerminal: boolean
  readonly columns: number | undefined
  private readonly stream: Writable
  private readonly unread: 'stop' | 'ignore'
  private readonly hasColour: boolean
  private broken: Error | undefined

  /**
   * `unread` says what a write does once its reader has left: the command stops, or it goes on without being heard.
   */
  constructor(
    stream: Writable & { readonly fd: number; readonly columns?: number },
    env: NodeJS.ProcessEnv,
    unread: 'stop' | 'ignore',
  ) {
    this.stream = stream
    this.unread = unread
    this.isTerminal = isatty(stream.fd)
    // A terminal of unknown size reports a width of 0.
    this.columns = this.isTerminal && (stream.columns ?? 0) > 0 ? stream.columns : undefined
    this.hasColour = wantsColour(this.isTerminal, env)
    // Without a listener, a reader that leaves would end the process with a stack trace.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.broken = error.code === 'EPIPE' ? new BrokenPipe() : error
    })
  }

  async write(text: string): Promise<void> {
    if (this.broken === undefined) {
      if (this.stream.write(text)) return
      await once(this.stream, 'drain').catch((error: Error) => (this.broken ??= error))
    }
    if (this.broken !== undefined && this.unread === 'stop') throw this.broken
  }

  async line(text = ''): Promise<void> {
    await this.write(`${text}\n`)
  }

  style(style: Style, text: string): string {
    return this.hasColour ? styleText(style, text, { validateStream: false }) : text
  }
}

function wantsColour(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  return isTerminal && env['TERM'] !== 'dumb'
}
