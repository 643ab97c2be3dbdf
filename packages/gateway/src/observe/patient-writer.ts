import { openSync } from 'node:fs'
import { dirname } from 'node:path'
import sonic from 'sonic-boom'
import { makeFolderSync } from '../base/make-folder.ts'
import { WaitingLines } from './waiting-lines.ts'

export const STDERR = 2

/** More than this waiting to be written is dropped: a full disk must not fill the memory. */
const MOST_WAITING_BYTES = 4_194_304

/** Lines wait for one another until there are so many bytes, but no longer than this. */
const BATCH_BYTES = 16_000
const BATCH_MS = 50

/** How long the end of the process waits for somebody to take what is left. */
const CLOSING_MS = 300

/** Writes lines without ever making their writer wait: nobody may read the pipe, or the disk may be full. */
export class PatientWriter {
  private readonly destination: sonic.SonicBoom
  private state: 'open' | 'closing' | 'closed' = 'open'
  private batch: NodeJS.Timeout | undefined
  private readonly waiting = new WaitingLines()
  private readonly onDrop: (lines: number) => void

  constructor(descriptor: number, onDrop: (lines: number) => void) {
    this.onDrop = onDrop
    this.destination = new sonic.SonicBoom({
      fd: descriptor,
      sync: false,
      // A line a request, each with a write of its own, would be a tenth of all the work there is.
      minLength: BATCH_BYTES,
      maxLength: MOST_WAITING_BYTES,
      // Tried for ever, a line that nobody takes would keep the process from its end.
      retryEAGAIN: () => this.state !== 'closed',
    })
    this.destination.on('drop', () => onDrop(this.waiting.takeBack()))
    this.destination.on('write', (bytes: number) => this.waiting.written(bytes))
    // It is tried again, and fails again most of the time: each line counts once.
    this.destination.on('error', () => onDrop(this.waiting.fail()))
  }

  write(text: string): void {
    // Written to behind its end, the destination would throw.
    if (this.state !== 'open') return
    this.waiting.add(text)
    this.destination.write(text)
    // A timer of the writer's own would write every time, also when there is nothing.
    this.batch ??= setTimeout(() => {
      this.batch = undefined
      this.destination.flush()
    }, BATCH_MS).unref()
  }

  async close(): Promise<void> {
    if (this.state !== 'open') return
    this.state = 'closing'
    clearTimeout(this.batch)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CLOSING_MS)
      this.destination.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
      this.destination.end()
    })
    this.state = 'closed'
    this.onDrop(this.waiting.fail())
    this.destination.destroy()
  }
}

// Opened here and not by the writer: that one would throw at the end of the process if it could not.
export function openLogFile(path: string): number | null {
  try {
    makeFolderSync(dirname(path))
    return openSync(path, 'a', 0o600)
  } catch {
    return null
  }
}
