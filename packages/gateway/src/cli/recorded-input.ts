import { parseRecording, type RecordedExchange } from '../recorder/recording.ts'
import { readText, type InputSource } from './input.ts'

/** An input that may be a recording. Any other input is passed on while it is read. */
export type RecordedInput =
  | { readonly is: 'recording'; readonly recording: RecordedExchange }
  | { readonly is: 'stream'; readonly chunks: AsyncIterable<Buffer> }

const openingBrace = 0x7b

/**
 * An event stream never begins with a brace, so the first chunk tells whether the input has to be read as a whole.
 */
export async function openRecorded(input: InputSource): Promise<RecordedInput> {
  const rest = input.chunks[Symbol.asyncIterator]()
  const first = await rest.next()
  if (first.done === true) return { is: 'stream', chunks: joined([], rest) }
  const chunks = joined([first.value], rest)
  if (first.value[0] !== openingBrace) return { is: 'stream', chunks }
  const all = Buffer.from(await readText({ ...input, chunks }))
  const recording = parseRecording(all.toString('utf8'))
  return recording === undefined
    ? { is: 'stream', chunks: joined([all], rest) }
    : { is: 'recording', recording }
}

/** The chunks that were taken, and those that were not yet. */
export async function* joined(first: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  yield* { [Symbol.asyncIterator]: () => rest }
}
