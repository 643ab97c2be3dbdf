import { type GlancedPart, objectsIn } from '../../../answer/glance.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { decodeFinishReason } from '../words.ts'
import { readDelta } from './delta.ts'

/** Of several choices the first: each would be an answer of its own. */
export function glanceAtCompletion({ choices }: JsonObject): readonly GlancedPart[] | null {
  if (!Array.isArray(choices)) return null
  const first = objectsIn(choices).find(({ index }, position) => (index ?? position) === 0) ?? {}
  return [
    ...partsOf(first['delta'], 'more'),
    ...partsOf(first['message'], 'whole'),
    ...endOf(nonEmptyText(first['finish_reason'])),
  ]
}

function partsOf(said: unknown, adds: GlancedAs): GlancedPart[] {
  if (!isJsonObject(said)) return []
  const { texts, toolCalls, functionCall } = readDelta(said)
  const joined = adds === 'whole' ? joinedTexts(texts) : texts
  return [
    ...joined.map(({ is, text }): GlancedPart => ({ is, key: is, text, adds })),
    ...objectsIn(toolCalls).map((call, position) => {
      const key = typeof call['index'] === 'number' ? call['index'] : position
      return callPart(`call ${key}`, call['id'], functionIn(call), adds)
    }),
    ...(functionCall === null ? [] : [callPart('function', null, functionCall, adds)]),
  ]
}

type GlancedAs = 'more' | 'whole'

/** A message repeats the whole of each kind of text, however many parts it has. */
function joinedTexts(texts: readonly { is: 'text' | 'reasoning'; text: string }[]): typeof texts {
  return (['reasoning', 'text'] as const).flatMap((is) => {
    const text = texts.flatMap((each) => (each.is === is ? [each.text] : [])).join('')
    return text === '' ? [] : [{ is, text }]
  })
}

function functionIn(call: JsonObject): JsonObject {
  return isJsonObject(call['function']) ? call['function'] : objectIn(call, 'custom')
}

function callPart(key: string, id: unknown, called: JsonObject, adds: GlancedAs): GlancedPart {
  const given = called['arguments'] ?? called['input'] ?? ''
  const json = typeof given === 'string' ? given : JSON.stringify(given)
  return { is: 'call', key, id: nonEmptyText(id), name: nonEmptyText(called['name']), json, adds }
}

function endOf(word: string | null): GlancedPart[] {
  return word === null ? [] : [{ is: 'end', reason: decodeFinishReason(word) }]
}
