import { isDeepStrictEqual } from 'node:util'
import type { RecordConfig } from '../config/config.ts'
import type { Redactor } from '../security/redact.ts'
import { ExchangeRecording, type OpenRecording, type RecordedRequest } from './exchange-recording.ts'
import { RecordingFolder } from './recording-folder.ts'

export interface Recorder {
  open(request: RecordedRequest): OpenRecording
  /** Resolves when all exchanges that have ended are written. */
  close(): Promise<void>
}

export interface RecorderOptions {
  readonly config: RecordConfig
  readonly redact: Redactor
  /** The wall clock, in milliseconds. */
  readonly now: () => number
  /** Is called when an exchange is not recorded, because there was no room for it or it could not be written. */
  readonly onDrop: () => void
  /** Is called when the folder cannot be written to; then not again until it could be. */
  readonly onFault: (message: string) => void
  readonly limits?: Partial<RecorderLimits>
  /** How many processes write to the folder. */
  readonly writers?: number
}

interface RecorderLimits {
  /** The bytes that are held in memory, for exchanges under way and for those that wait to be written. */
  readonly heldBytes: number
  /** Exchanges that wait to be written. */
  readonly waiting: number
}

const usualLimits: RecorderLimits = { heldBytes: 67_108_864, waiting: 256 }

/** How often old recordings are looked for while nothing is written. */
const SWEEP_MS = 600_000

export function createRecorder(options: RecorderOptions): Recorder {
  return new FolderRecorder(options)
}

class FolderRecorder implements Recorder {
  private readonly options: RecorderOptions
  private readonly limits: RecorderLimits
  private readonly folder: RecordingFolder
  private readonly sweeping: NodeJS.Timeout
  private held = 0
  private waiting = 0
  private isFaulty = false
  private last: Promise<unknown>

  constructor(options: RecorderOptions) {
    this.options = options
    this.limits = { ...usualLimits, ...options.limits }
    this.folder = new RecordingFolder(options.config, options.now, options.writers)
    this.last = this.attempt(() => this.folder.open())
    this.sweeping = setInterval(() => {
      this.last = this.last.then(() => this.attempt(() => this.folder.sweep()))
    }, SWEEP_MS).unref()
  }

  open(request: RecordedRequest): OpenRecording {
    return new ExchangeRecording(request, {
      startedAt: this.options.now(),
      reserve: (bytes) => this.reserve(bytes),
      release: (bytes) => {
        this.held -= bytes
      },
      onDrop: this.options.onDrop,
      onEnd: (recording) => this.enqueue(recording),
    })
  }

  async close(): Promise<void> {
    clearInterval(this.sweeping)
    await this.last
  }

  private reserve(bytes: number): boolean {
    if (this.held + bytes > this.limits.heldBytes) return false
    this.held += bytes
    return true
  }

  private enqueue(recording: ExchangeRecording): void {
    if (this.waiting >= this.limits.waiting) {
      recording.drop()
      return
    }
    this.waiting++
    this.last = this.last.then(() => this.write(recording))
  }

  /**
   * Recordings are written one after the other, with a pause before each: redaction takes time, and streams must get
   * their turns.
   */
  private async write(recording: ExchangeRecording): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    const isWritten = await this.attempt(() => {
      const exchange = recording.redacted(this.options.redact)
      return this.folder.write(exchange.time, exchange.requestId, `${JSON.stringify(exchange, null, 2)}\n`)
    })
    this.waiting--
    if (isWritten) recording.forget()
    else recording.drop()
  }

  /** A full disk or a missing folder is no reason to stop serving. */
  private async attempt(step: () => Promise<void>): Promise<boolean> {
    try {
      await step()
      this.isFaulty = false
      return true
    } catch (error) {
      if (!this.isFaulty) this.options.onFault(error instanceof Error ? error.message : String(error))
      this.isFaulty = true
      return false
    }
  }
}

/** Holds the recorder for the configuration in force. */
export class FollowingRecorder {
  current: Recorder | undefined
  private config: RecordConfig | null = null
  private readonly options: Omit<RecorderOptions, 'config'>
  /** Recorders of older configurations: exchanges that began with one of them end in it. */
  private readonly retired: Recorder[] = []

  constructor(config: RecordConfig | null, options: Omit<RecorderOptions, 'config'>) {
    this.options = options
    this.reconfigure(config)
  }

  reconfigure(config: RecordConfig | null): void {
    if (isDeepStrictEqual(config, this.config)) return
    if (this.current !== undefined) this.retired.push(this.current)
    this.config = config
    this.current = config === null ? undefined : createRecorder({ ...this.options, config })
  }

  async close(): Promise<void> {
    const recorders = this.current === undefined ? this.retired : [...this.retired, this.current]
    await Promise.all(recorders.map((recorder) => recorder.close()))
  }
}
