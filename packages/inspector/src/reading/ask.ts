import { openedBoth, openedReading } from './packed.ts'
import type { Questions } from './protocol.ts'

type Answer<Kind extends keyof Questions> =
  | { readonly sent: Questions[Kind]['sent'] }
  | { readonly error: string }

type Opened = {
  readonly [Kind in keyof Questions]: (sent: Questions[Kind]['sent']) => Promise<Questions[Kind]['get']>
}

const opened: Opened = {
  formats: (formats) => Promise.resolve(formats),
  meanings: (meanings) => Promise.resolve(meanings),
  read: openedReading,
  both: openedBoth,
  chunkings: (report) => Promise.resolve(report),
}

let worker: Worker | undefined

/** Asks the worker, which is started for the first question. Each question has a way back of its own. */
export function ask<Kind extends keyof Questions>(
  kind: Kind,
  question: Questions[Kind]['ask'],
): Promise<Questions[Kind]['get']> {
  worker ??= new Worker(new URL('worker.ts', import.meta.url), { type: 'module' })
  const { port1: here, port2: there } = new MessageChannel()
  const answer = new Promise<Questions[Kind]['get']>((resolve, reject) => {
    here.addEventListener('message', ({ data }: MessageEvent<Answer<Kind>>) => {
      here.close()
      if ('error' in data) reject(new Error(data.error))
      else resolve(opened[kind](data.sent))
    })
  })
  here.start()
  worker.postMessage({ kind, ask: question, answer: there }, [there])
  return answer
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
