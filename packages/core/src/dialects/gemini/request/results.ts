import type { MediaBlock, ToolResponseBlock } from '../../../conversation.ts'
import type { ToolIdMapper } from '../../../ids/strategy.ts'
import { optionalArray, requiredObject } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import type { RequestTarget } from '../../../request/target.ts'
import { type ResultBlock, resultBlocks } from '../../../request/tool-result.ts'
import { decodeMedia, encodeMedia } from './media.ts'
import { camelCased } from '../spelling.ts'

/** A `functionResponse`, before it is known which call it answers. */
export interface DecodedResponse {
  /** Null where the client sends none. */
  readonly id: string | null
  readonly block: ToolResponseBlock
}

export function decodeResponse(part: JsonObject, path: string): DecodedResponse {
  const place = `${path}.functionResponse`
  const given = camelCased(requiredObject(part['functionResponse'], place))
  const toolName = nonEmptyText(given['name']) ?? ''
  const { said, isError } = meaningOf(given['response'], toolName)
  const media = optionalArray(given, 'parts', `${place}.`).flatMap(shownIn)
  const texts: ResultBlock[] = said === '' ? [] : [{ type: 'text', text: said }]
  const block: ToolResponseBlock = {
    type: 'tool_response',
    callId: '',
    toolName,
    result: media.length === 0 ? said : [...texts, ...media],
    ...(isError ? { isError } : {}),
  }
  const original = { ...part, functionResponse: given }
  return { id: nonEmptyText(given['id']), block: withOriginal(block, 'gemini', original) }
}

function shownIn(value: unknown): MediaBlock[] {
  const media = isJsonObject(value) ? decodeMedia(camelCased(value)) : null
  return media === null ? [] : [media]
}

/** A response is an object. Clients put what a tool said into one field of it, under one of these names. */
function meaningOf(response: unknown, toolName: string): { said: string; isError: boolean } {
  if (!isJsonObject(response)) return { said: textOf(response), isError: false }
  const fields = Object.entries(response).filter(
    ([field, value]) => !(field === 'name' && value === toolName && 'content' in response),
  )
  const [only] = fields
  if (only === undefined || fields.length > 1) return { said: textOf(response), isError: false }
  const [field, value] = only
  if (field === 'error') return { said: textOf(value), isError: true }
  return { said: textOf(wrappers.has(field) ? value : response), isError: false }
}

const wrappers = new Set(['output', 'result', 'content'])

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** Writes a response, and behind it what has no place inside. `hasId`: whether its call was written with an id. */
export function encodeResponse(
  response: ToolResponseBlock,
  hasId: boolean,
  ids: ToolIdMapper,
  target: RequestTarget,
  notes: Notes,
): JsonObject[] {
  const id = hasId ? { id: ids.resolveToolResponseId(response) } : {}
  const { toolName: name, isError } = response
  const original = originalFor(target, response, 'gemini')
  const given = original?.['functionResponse']
  if (original !== undefined && isJsonObject(given)) {
    const { id: _, ...fields } = given
    const answer = isJsonObject(given['response']) ? given['response'] : { output: given['response'] ?? '' }
    return [{ ...original, functionResponse: { ...fields, ...id, name, response: answer } }]
  }
  const blocks = resultBlocks(response.result)
  const said = blocks.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : []))
  const text = said.join('\n')
  const answer = isError === true ? { error: text } : { output: text }
  const shown = blocks.flatMap((block) => (block.type === 'media' ? [encodeMedia(block, target, notes)] : []))
  const functionResponse = { ...id, name, response: answer }
  if (shown.length === 0) return [{ functionResponse }]
  // A placeholder is text, which has no place inside.
  if (takesParts.test(target.model) && shown.every((part) => !('text' in part))) {
    return [{ functionResponse: { ...functionResponse, parts: shown } }]
  }
  notes.changed('messages', 'Media in tool results stand behind the results.')
  return [{ functionResponse }, ...shown]
}

/** Older models refuse media inside a response. */
const takesParts = /(?:^|\/)gemini-(?:[3-9]|\d{2})/
