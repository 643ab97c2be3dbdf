import { formats, problemCodes, repairCodes } from '@dragoman/core'
import { tryChunkings } from './chunkings.ts'
import { packedBoth, packedReading } from './packed.ts'
import type { Questions } from './protocol.ts'
import { readBoth, readInput } from './read.ts'

/** Reading happens here, so that a long answer does not stop the page. */
type Answers = {
  readonly [Kind in keyof Questions]: (ask: Questions[Kind]['ask']) => Questions[Kind]['sent']
}

const answers: Answers = {
  formats: () => formats.map(({ id, sample }) => ({ id, sample })),
  meanings: () => ({ ...problemCodes, ...repairCodes }),
  read: ({ input, cut }) => packedReading(readInput(input, cut)),
  both: ({ said, got, isEnded }) => packedBoth(readBoth(said, got, isEnded)),
  chunkings: (input) => tryChunkings(input, () => performance.now()),
}

interface Asked<Kind extends keyof Questions> {
  readonly kind: Kind
  readonly ask: Questions[Kind]['ask']
  readonly answer: MessagePort
}

function answer<Kind extends keyof Questions>({ kind, ask, answer: port }: Asked<Kind>): void {
  try {
    port.postMessage({ sent: answers[kind](ask) }, [])
  } catch (error) {
    port.postMessage({ error: error instanceof Error ? error.message : String(error) }, [])
  }
}

addEventListener('message', (event: MessageEvent<Asked<keyof Questions>>) => answer(event.data))
