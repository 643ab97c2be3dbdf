import { type FromWorker, toWorker } from './worker-messages.ts'

/** How long a request for metrics waits for the other workers. */
const METRICS_MS = 4000

export interface ParentListener {
  readonly onReload: () => void
  readonly onReopenLog: () => void
  readonly onDrain: () => void
  /** Is told how many log lines the parent process could not write. */
  readonly onDropped: (lines: number) => void
}

/** The parent process, as a worker sees it. */
export class ParentProcess {
  private readonly waiting = new Map<number, (text: string | null) => void>()
  private lastId = 0

  listen({ onReload, onReopenLog, onDrain, onDropped }: ParentListener): void {
    process.on('message', (given: unknown) => {
      const message = toWorker(given)
      switch (message?.dragoman) {
        case 'reload':
          onReload()
          return
        case 'reopen-log':
          onReopenLog()
          return
        case 'drain':
          onDrain()
          return
        case 'dropped':
          onDropped(message.lines)
          return
        case 'metrics':
          this.waiting.get(message.id)?.(message.text)
          return
        case undefined:
      }
    })
  }

  listening(address: string): void {
    send({ dragoman: 'listening', address })
  }

  /** Resolves to the metrics of all workers together, or to null where the parent does not answer in time. */
  metrics(): Promise<string | null> {
    const id = ++this.lastId
    return new Promise((resolve) => {
      const finish = (text: string | null): void => {
        clearTimeout(timer)
        this.waiting.delete(id)
        resolve(text)
      }
      const timer = setTimeout(() => finish(null), METRICS_MS)
      this.waiting.set(id, finish)
      send({ dragoman: 'metrics-wanted', id })
    })
  }
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message)
}
