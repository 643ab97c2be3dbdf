import { createSseDecoder } from '../../src/sse/decoder.ts'
import { isRecord } from '../support/is-record.ts'

/** The data of a stream's events, with the texts of neighbours that differ in nothing else joined. */
export function joinedDeltas(stream: string): string[] {
  const joined: { before: string; text: string; after: string }[] = []
  for (const item of createSseDecoder().push(stream)) {
    if (item.kind !== 'event') continue
    const text = textIn(item.data)
    const literal = JSON.stringify(text)
    const at = text === undefined ? item.data.length : item.data.lastIndexOf(literal)
    const before = item.data.slice(0, at)
    const after = text === undefined ? '' : item.data.slice(at + literal.length)
    const last = joined.at(-1)
    if (text !== undefined && last?.before === before && last.after === after) last.text += text
    else joined.push({ before, text: text ?? '', after })
  }
  return joined.map(({ before, text, after }) => before + JSON.stringify(text) + after)
}

/** The text that a delta of either dialect brings; undefined where it brings something else. */
function textIn(data: string): string | undefined {
  if (data === '[DONE]') return undefined
  const value: unknown = JSON.parse(data)
  const choices = isRecord(value) ? value['choices'] : undefined
  const holder: unknown = Array.isArray(choices) ? choices[0] : value
  const delta = isRecord(holder) ? holder['delta'] : undefined
  if (!isRecord(delta)) return undefined
  const call: unknown = Array.isArray(delta['tool_calls']) ? delta['tool_calls'][0] : undefined
  const fn = isRecord(call) ? call['function'] : undefined
  const json = isRecord(fn) && !('name' in fn) ? fn['arguments'] : delta['partial_json']
  return [delta['text'], delta['thinking'], delta['content'], delta['reasoning_content'], json].find(
    (text): text is string => typeof text === 'string' && text !== '',
  )
}
