import { at } from './ask.ts'

/** What a client has read of a stream: its chunks, and the error that it threw, if it did. */
export interface ReadStream {
  readonly chunks: readonly unknown[]
  readonly error: string | null
}

/** The text of all chunks. */
export function textIn({ chunks }: ReadStream): string {
  return chunks
    .flatMap((chunk) => at(chunk, 'candidates', 0, 'content', 'parts') ?? [])
    .map((part) => (at(part, 'thought') === true ? '' : textOf(at(part, 'text'))))
    .join('')
}

/**
 * As older versions of Google's SDK read: a regular expression finds events at the head of what has come. What comes alone and
 * is an error by itself is thrown; what is left over at the end is thrown as well.
 */
export async function readByOlderGenai(response: Response): Promise<ReadStream> {
  const chunks: unknown[] = []
  let buffer = ''
  for await (const piece of piecesOf(response)) {
    const alone = parsed(piece)
    if (Number(at(alone, 'error', 'code')) >= 400)
      return { chunks, error: textOf(at(alone, 'error', 'message')) }
    buffer += piece
    for (let found = olderEvent.exec(buffer); found !== null; found = olderEvent.exec(buffer)) {
      chunks.push(JSON.parse(found[1] ?? ''))
      buffer = buffer.slice(found[0].length)
    }
  }
  return { chunks, error: buffer.trim() === '' ? null : 'Incomplete JSON segment at the end' }
}

const olderEvent = /^\s*data: (.*)(\n\n|\r\r|\r\n\r\n)/

/**
 * As the AI SDK reads: events after the standard for event streams, the data of each as JSON. An event that is an error in the
 * place of candidates is thrown.
 */
export async function readByAiSdk(response: Response): Promise<ReadStream> {
  const chunks: unknown[] = []
  let data: string[] = []
  for (const line of (await response.text()).split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''))
    if (line !== '' || data.length === 0) continue
    const chunk: unknown = JSON.parse(data.join('\n'))
    data = []
    const error = at(chunk, 'error', 'message')
    if (error !== undefined) return { chunks, error: textOf(error) }
    chunks.push(chunk)
  }
  return { chunks, error: null }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The text of a body, piece by piece as it comes. */
async function* piecesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) yield decoder.decode(bytes, { stream: true })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
