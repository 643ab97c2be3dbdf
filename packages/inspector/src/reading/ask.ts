import type { Questions } from './protocol.ts'

type Answer = { readonly id: number } & ({ readonly get: unknown } | { readonly error: string })

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

let worker: Worker | undefined
let asked = 0
const waiting = new Map<number, Waiting>()

/** Asks the worker, which is started for the first question. */
export function ask<Kind extends keyof Questions>(
  kind: Kind,
  question: Questions[Kind]['ask'],
): Promise<Questions[Kind]['get']> {
  worker ??= startWorker()
  const id = ++asked
  return new Promise<Questions[Kind]['get']>((resolve, reject) => {
    waiting.set(id, { resolve, reject })
    worker?.postMessage({ id, kind, ask: question })
  })
}

function startWorker(): Worker {
  const started = new Worker(new URL('worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', (event: MessageEvent<Answer>) => {
    const { data } = event
    const asker = waiting.get(data.id)
    waiting.delete(data.id)
    if ('error' in data) asker?.reject(new Error(data.error))
    else asker?.resolve(data.get as never)
  })
  return started
}

/** Asks one question at a time and forgets all but the newest that came meanwhile: what is typed over is not read. */
export function latest<Kind extends keyof Questions>(
  kind: Kind,
  onAnswer: (answer: Questions[Kind]['get']) => void,
  onError: (error: Error) => void,
): (question: Questions[Kind]['ask']) => void {
  let isBusy = false
  let next: { readonly question: Questions[Kind]['ask'] } | undefined
  const run = async (question: Questions[Kind]['ask']): Promise<void> => {
    isBusy = true
    try {
      onAnswer(await ask(kind, question))
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)))
    }
    isBusy = false
    const newer = next
    next = undefined
    if (newer !== undefined) void run(newer.question)
  }
  return (question) => {
    if (isBusy) next = { question }
    else void run(question)
  }
}
