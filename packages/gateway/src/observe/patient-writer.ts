import { constants, openSync } from 'node:fs'
import { dirname } from 'node:path'
import sonic from 'sonic-boom'
import { makeFolderSync } from '../base/make-folder.ts'
import { WaitingLines } from './waiting-lines.ts'

export const STDERR = 2

/** The most bytes that wait to be written; more are dropped, so that a full disk does not fill the memory. */
const MOST_WAITING_BYTES = 4_194_304

/** Lines are written together once there are this many bytes, or after this time. */
const BATCH_BYTES = 16_000
const BATCH_MS = 50

/** How long the end of the process waits for the last lines to be written. */
const CLOSING_MS = 300

/** Writes lines without ever blocking its caller, even where nobody reads the pipe or the disk is full. */
export class PatientWriter {
  private readonly destination: sonic.SonicBoom
  private state: 'open' | 'closing' | 'closed' = 'open'
  private batch: NodeJS.Timeout | undefined
  private readonly waiting = new WaitingLines()

  constructor(descriptor: number, onDrop: (lines: number) => void) {
    this.destination = new sonic.SonicBoom({
      fd: descriptor,
      sync: false,
      // One write for each line, and so for each request, would be a tenth of all the work of the gateway.
      minLength: BATCH_BYTES,
      maxLength: MOST_WAITING_BYTES,
      // A line that nobody takes must not keep the process alive.
      retryEAGAIN: () => this.state !== 'closed',
    })
    this.destination.on('drop', () => onDrop(this.waiting.takeBack()))
    this.destination.on('write', (bytes: number) => this.waiting.written(bytes))
    // The destination retries a write and mostly fails again; each lost line counts once.
    this.destination.on('error', () => {
      onDrop(this.waiting.fail())
      if (this.state !== 'open') this.destination.destroy()
    })
  }

  write(text: string): void {
    // The destination throws when it is written to after its end.
    if (this.state !== 'open') return
    this.waiting.add(text)
    this.destination.write(text)
    // The destination's own timer would wake the process even when there is nothing to write.
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
    // A write may be under way still. Destroyed before its end, the destination would go on to write to a descriptor that
    // is closed by then, or write nothing for ever, and the process would not end. So it is given up when that write fails.
    this.state = 'closed'
  }
}

// The file is opened here because the destination, opening it itself, would throw at the end of the process if that
// fails.
export function openLogFile(path: string): number | null {
  try {
    makeFolderSync(dirname(path))
    // Without the last flag a pipe that nobody reads would hold up the whole process.
    const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK } = constants
    return openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK, 0o600)
  } catch {
    return null
  }
}
