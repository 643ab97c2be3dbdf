import { formats } from '@dragoman/core'
import { tryChunkings } from './chunkings.ts'
import type { Questions } from './protocol.ts'
import { readInput } from './read.ts'

/** Reading happens here, so that a long answer does not stop the page. */
type Answers = { readonly [Kind in keyof Questions]: (ask: Questions[Kind]['ask']) => Questions[Kind]['get'] }

const answers: Answers = {
  formats: () => formats.map(({ id, sample }) => ({ id, sample })),
  read: ({ input, cut }) => readInput(input, cut),
  chunkings: (input) => tryChunkings(input, () => performance.now()),
}

interface Asked<Kind extends keyof Questions> {
  readonly id: number
  readonly kind: Kind
  readonly ask: Questions[Kind]['ask']
}

function answer<Kind extends keyof Questions>({ id, kind, ask }: Asked<Kind>): void {
  try {
    postMessage({ id, get: answers[kind](ask) })
  } catch (error) {
    postMessage({ id, error: error instanceof Error ? error.message : String(error) })
  }
}

addEventListener('message', (event: MessageEvent<Asked<keyof Questions>>) => answer(event.data))
