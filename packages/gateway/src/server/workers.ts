import { randomBytes } from 'node:crypto'
import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import { closeWithWorker } from './handed-connections.ts'
import { fromWorker, type ToWorker, withFilesInForce, withSessionSecret } from './worker-messages.ts'

/** The pause before a worker is replaced: one that fails at its start would otherwise be started in a loop. */
const RESTART_MS = 1000

export interface WorkersOptions {
  readonly count: number
  /** The configuration files in force. */
  readonly files: () => readonly string[]
  /** Takes what workers write to standard error, or is null where they share ours. */
  readonly onStderr: ((text: string) => void) | null
  /** Is told that a worker ended by itself. Another one will take its place. */
  readonly onLoss: (reason: string) => void
}

/** Worker processes that share one port. Each is a gateway of its own, and this process looks after them. */
export class Workers {
  private readonly options: WorkersOptions
  private readonly metrics = new AggregatorRegistry()
  private readonly alive = new Set<Worker>()
  private readonly restarts = new Set<NodeJS.Timeout>()
  private readonly secret = randomBytes(32).toString('base64url')
  private droppedLines = 0
  private state: 'serving' | 'draining' = 'serving'
  private onLastExit: () => void = () => {}

  constructor(options: WorkersOptions) {
    this.options = options
    // Processes that share a pipe change its blocking mode for one another, so each worker gets a pipe of its own.
    cluster.setupPrimary({ silent: options.onStderr !== null })
  }

  /**
   * Resolves to the address once all workers listen. The first one is started alone, as it shows whether they can.
   */
  async start(): Promise<string> {
    const address = await this.startOne()
    const others = Array.from({ length: this.options.count - 1 }, () => this.startOne())
    await Promise.all(others)
    return address
  }

  reload(): void {
    this.tellAll({ dragoman: 'reload' })
  }

  reopenLogs(): void {
    this.tellAll({ dragoman: 'reopen-log' })
  }

  /** Asks the workers to end, and resolves when the last one has. */
  async drain(): Promise<void> {
    this.state = 'draining'
    for (const restart of this.restarts) clearTimeout(restart)
    this.tellAll({ dragoman: 'drain' })
    if (this.alive.size === 0) return
    await new Promise<void>((resolve) => {
      this.onLastExit = resolve
    })
  }

  /** Counts lines of the workers that could not be written. */
  linesDropped(lines: number): void {
    this.droppedLines += lines
  }

  kill(): void {
    for (const worker of this.alive) worker.process.kill('SIGKILL')
  }

  private startOne(): Promise<string> {
    const worker = cluster.fork({
      ...withFilesInForce(this.options.files()),
      ...withSessionSecret(this.secret),
    })
    this.alive.add(worker)
    closeWithWorker(worker.process)
    return new Promise((resolve, fail) => {
      let isListening = false
      worker.on('message', (given: unknown) => {
        const message = fromWorker(given)
        if (message?.dragoman === 'listening') {
          isListening = true
          // The worker may have started after the others were asked to end.
          if (this.state === 'draining') tell(worker, { dragoman: 'drain' })
          resolve(message.address)
        } else if (message?.dragoman === 'metrics-wanted') {
          void this.sendMetrics(worker, message.id)
        }
      })
      worker.on('error', () => {})
      worker.process.stderr?.setEncoding('utf8').on('data', (text: string) => this.options.onStderr?.(text))
      // At `exit` the last output of the worker may still be on its way; at `close` it has arrived.
      worker.process.on('close', (code: number | null, signal: NodeJS.Signals | null) => {
        this.alive.delete(worker)
        if (this.alive.size === 0) this.onLastExit()
        const reason = signal ?? `code ${code}`
        if (!isListening) fail(new Error(`a worker ended with ${reason} before it listened`))
        else if (this.state === 'serving') this.replace(reason)
      })
    })
  }

  private replace(reason: string): void {
    this.options.onLoss(reason)
    const restart = setTimeout(() => {
      this.restarts.delete(restart)
      this.startOne().catch((error: unknown) => {
        if (this.state === 'serving') this.replace(error instanceof Error ? error.message : String(error))
      })
    }, RESTART_MS)
    this.restarts.add(restart)
  }

  private async sendMetrics(worker: Worker, id: number): Promise<void> {
    // Nobody asks this process for metrics, so a worker counts the lines that it lost.
    if (this.droppedLines > 0) tell(worker, { dragoman: 'dropped', lines: this.droppedLines })
    this.droppedLines = 0
    const text = await this.metrics.clusterMetrics().catch(() => null)
    tell(worker, { dragoman: 'metrics', id, text })
  }

  private tellAll(message: ToWorker): void {
    for (const worker of this.alive) tell(worker, message)
  }
}

function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message)
}
