import { isJsonObject, type JsonObject, nonEmptyText } from '../json/objects.ts'
import type { ModelFacts, Server } from './server.ts'
import { selfHostedServers } from './self-hosted.ts'

/** One entry in the list of models of a server. */
export interface ListedModel extends ModelFacts {
  readonly id: string
}

/** The entries in the answer to `GET /models`. Null where the answer is no such list. */
export function entriesIn(answer: unknown): readonly JsonObject[] | null {
  const list = isJsonObject(answer) ? (answer['data'] ?? answer['models']) : answer
  if (!Array.isArray(list)) return null
  return list
    .filter((entry: unknown) => isJsonObject(entry))
    .map(withId)
    .filter((entry) => typeof entry['id'] === 'string')
}

/** Google lists models by the name of the resource, `models/gemini-x`. */
function withId(entry: JsonObject): JsonObject {
  const resource = 'id' in entry ? null : nonEmptyText(entry['name'])
  return resource?.startsWith('models/') === true ? { ...entry, id: resource.slice('models/'.length) } : entry
}

/** Which server that people run themselves writes such a list. */
export function serverOfList(entries: readonly JsonObject[]): Server | undefined {
  const owners = entries.map((entry) => nonEmptyText(entry['owned_by']) ?? '')
  return selfHostedServers.find(({ owner }) => owner !== undefined && owners.some((name) => owner.test(name)))
}

/** What the list tells of its models. Without a server every place is looked at in which one of them tells it. */
export function modelsOf(entries: readonly JsonObject[], server: Server | undefined): ListedModel[] {
  const windowAt = server?.windowAt ?? everyWindow
  const outputAt = server?.outputAt ?? (server === undefined ? everyOutput : [])
  return entries.map((entry) => ({
    id: String(entry['id']),
    ...count('window', entry, windowAt),
    ...count('maxOutput', entry, outputAt),
    ...count('trainedWindow', entry, server?.trainedWindowAt ?? []),
    ...abilitiesIn(entry),
  }))
}

const everyWindow = [
  'max_model_len',
  'meta.n_ctx',
  'loaded_context_length',
  'top_provider.context_length',
  'context_length',
  'context_window',
  'inputTokenLimit',
]
const everyOutput = [
  'top_provider.max_completion_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'outputTokenLimit',
]

function count<Name extends 'window' | 'maxOutput' | 'trainedWindow'>(
  name: Name,
  entry: JsonObject,
  paths: readonly string[],
): Partial<Record<Name, number>> {
  const found: Partial<Record<Name, number>> = {}
  for (const path of paths) {
    const value = smallestAt(entry, path)
    if (value === undefined) continue
    found[name] = value
    break
  }
  return found
}

/** The smallest whole number above zero at a path such as `meta.n_ctx`. */
function smallestAt(value: unknown, path: string): number | undefined {
  const found = path
    .split('.')
    .reduce<readonly unknown[]>((inside, step) => inside.flatMap((each) => valuesAt(each, step)), [value])
    .filter((each) => typeof each === 'number')
    .filter((each) => Number.isSafeInteger(each) && each > 0)
  return found.length === 0 ? undefined : Math.min(...found)
}

/** The values under one name; `name[]` means each value of a list. */
function valuesAt(value: unknown, step: string): readonly unknown[] {
  const isList = step.endsWith('[]')
  const inner = isJsonObject(value) ? value[isList ? step.slice(0, -2) : step] : undefined
  if (!isList) return [inner]
  return Array.isArray(inner) ? inner : []
}

/** Routers list which fields of a request a model takes, what it can be shown, and which providers take tools. */
function abilitiesIn(entry: JsonObject): ModelFacts {
  const parameters = entry['supported_parameters']
  const shown = isJsonObject(entry['architecture']) ? entry['architecture']['input_modalities'] : undefined
  const toolsTaken = valuesAt(entry, 'providers[]').flatMap((provider) =>
    valuesAt(provider, 'supports_tools').filter((taken) => typeof taken === 'boolean'),
  )
  return {
    ...(toolsTaken.length === 0 ? {} : { tools: toolsTaken.includes(true) }),
    ...(Array.isArray(parameters)
      ? { tools: parameters.includes('tools'), thinking: parameters.includes('reasoning') }
      : {}),
    ...(Array.isArray(shown) ? { images: shown.includes('image') } : {}),
  }
}
