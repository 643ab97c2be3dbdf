import { optionalArray, optionalCount, optionalNumber, otherFields, textArray } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText, objectIn } from '../../../json/objects.ts'
import type {
  ConversationRequest,
  OutputFormat,
  RequestSettings,
} from '../../../request/conversation-request.ts'
import type { Notes } from '../../../request/notes.ts'
import { originalFor, withOriginal } from '../../../request/original.ts'
import { limitedMaxTokens } from '../../../request/settings.ts'
import type { GeminiTarget } from '../../../request/target.ts'
import { jsonSchemaOf, openApiSchemaOf } from '../schema.ts'
import { camelCased } from '../spelling.ts'
import { decodeThinking, encodeThinking } from './thinking.ts'
import { decodeToolChoice } from './tool-choice.ts'

export function decodeSettings(body: JsonObject, notes: Notes): RequestSettings {
  const config = camelCased(objectIn(body, 'generationConfig'))
  const { toolChoice, extra: otherChoice } = decodeToolChoice(body, notes)
  const { reasoning, wantsThoughts, rest: otherThinking } = decodeThinking(config)
  const outputFormat = formatOf(config)
  const known = outputFormat === undefined ? knownConfig : new Set([...knownConfig, ...formatFields])
  const others = {
    ...otherFields(config, known),
    ...(Object.keys(otherThinking).length === 0 ? {} : { thinkingConfig: otherThinking }),
  }
  return {
    toolChoice,
    parallelToolCalls: undefined,
    stream: false,
    wantsThoughts,
    maxTokens: optionalCount(config, 'maxOutputTokens', path),
    temperature: optionalNumber(config, 'temperature', path),
    topP: optionalNumber(config, 'topP', path),
    topK: optionalNumber(config, 'topK', path),
    stopSequences: textArray(optionalArray(config, 'stopSequences', path), `${path}stopSequences`),
    reasoning,
    outputFormat,
    user: undefined,
    extra: {
      ...otherFields(body, knownFields),
      ...otherChoice,
      ...(Object.keys(others).length === 0 ? {} : { generationConfig: others }),
    },
  }
}

const path = 'generationConfig.'

const knownFields = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'cachedContent',
  'continuationToken',
])
const knownConfig = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stopSequences',
  'thinkingConfig',
])
const formatFields = ['responseMimeType', 'responseSchema', 'responseJsonSchema']

/** A schema without the type of its format is taken for what it is: no other format has one. */
function formatOf(config: JsonObject): OutputFormat | undefined {
  const type = nonEmptyText(config['responseMimeType'])?.toLowerCase()
  const schema = config['responseJsonSchema'] ?? jsonSchemaOf(config['responseSchema'] ?? undefined)
  const isJson = type === 'application/json' || type === undefined
  const original = Object.fromEntries(
    formatFields.flatMap((field) => (field in config ? [[field, config[field]]] : [])),
  )
  if (isJson && isJsonObject(schema)) {
    const format: OutputFormat = { type: 'json-schema', name: 'answer', schema }
    return withOriginal(format, 'gemini', original)
  }
  const word = schema === undefined ? formatWords.get(type) : undefined
  return word === undefined ? undefined : { type: word, original: { dialect: 'gemini', value: original } }
}

const formatWords: ReadonlyMap<string | undefined, 'json' | 'text'> = new Map([
  ['application/json', 'json'],
  ['text/plain', 'text'],
])

/** `generationConfig`, with what else a client of the dialect has in it. */
export function encodeSettings(
  request: ConversationRequest,
  target: GeminiTarget,
  notes: Notes,
): { readonly generationConfig?: JsonObject } {
  const maxTokens = limitedMaxTokens(request, target, notes)
  const { stopSequences } = request
  const own = target.sameDialect === true ? objectIn(request.extra, 'generationConfig') : {}
  const thinkingConfig = { ...objectIn(own, 'thinkingConfig'), ...encodeThinking(request, target, notes) }
  const generationConfig = {
    ...own,
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...encodeSampling(request, target, notes),
    ...(stopSequences.length === 0 ? {} : { stopSequences: takenStops(stopSequences, target, notes) }),
    ...encodeFormat(request.outputFormat, target),
    ...(Object.keys(thinkingConfig).length === 0 ? {} : { thinkingConfig }),
  }
  if (request.user !== undefined) notes.dropped('user', 'The upstream has no place for it.')
  return Object.keys(generationConfig).length === 0 ? {} : { generationConfig }
}

function encodeSampling(
  { temperature, topP, topK }: ConversationRequest,
  { fixedSampling }: GeminiTarget,
  notes: Notes,
): JsonObject {
  const sampling: Record<string, number> = {}
  for (const [field, value] of Object.entries({ temperature, topP, topK })) {
    if (value === undefined) continue
    if (fixedSampling === true) notes.dropped(field, 'The upstream does not take it.')
    else sampling[field] = value
  }
  return sampling
}

const mostStops = 5

function takenStops(stops: readonly string[], target: GeminiTarget, notes: Notes): readonly string[] {
  if (stops.length <= mostStops || target.sameDialect === true) return stops
  notes.dropped('stop_sequences', `The upstream takes ${mostStops}; the others are left out.`)
  return stops.slice(0, mostStops)
}

function encodeFormat(format: OutputFormat | undefined, target: GeminiTarget): JsonObject {
  if (format === undefined) return {}
  const original = originalFor(target, format, 'gemini')
  if (original !== undefined) return original
  if (format.type === 'text') return {}
  const responseMimeType = 'application/json'
  if (format.type !== 'json-schema') return { responseMimeType }
  if (target.schemas !== 'openapi') return { responseMimeType, responseJsonSchema: format.schema }
  const responseSchema = openApiSchemaOf(format.schema)
  return responseSchema === undefined ? { responseMimeType } : { responseMimeType, responseSchema }
}
