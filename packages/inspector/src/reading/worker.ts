import { formats } from '@dragoman/core'
import { tryChunkings } from './chunkings.ts'
import type { Questions } from './protocol.ts'
import { readBoth, readInput } from './read.ts'

/** Reading happens here, so that a long answer does not stop the page. */
type Answers = { readonly [Kind in keyof Questions]: (ask: Questions[Kind]['ask']) => Questions[Kind]['get'] }

const answers: Answers = {
  formats: () => formats.map(({ id, sample }) => ({ id, sample })),
  read: ({ input, cut }) => readInput(input, cut),
  both: ({ said, got }) => readBoth(said, got),
  chunkings: (input) => tryChunkings(input, () => performance.now()),
}

interface Asked<Kind extends keyof Questions> {
  readonly kind: Kind
  readonly ask: Questions[Kind]['ask']
  readonly answer: MessagePort
}

function answer<Kind extends keyof Questions>({ kind, ask, answer: port }: Asked<Kind>): void {
  try {
    port.postMessage({ get: answers[kind](ask) }, [])
  } catch (error) {
    port.postMessage({ error: error instanceof Error ? error.message : String(error) }, [])
  }
}

addEventListener('message', (event: MessageEvent<Asked<keyof Questions>>) => answer(event.data))
