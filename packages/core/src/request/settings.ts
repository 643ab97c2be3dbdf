import { isJsonObject, type JsonObject, nonEmptyText } from '../json/objects.ts'
import type { ConversationRequest } from './conversation-request.ts'
import { notUnderstood, type Notes } from './notes.ts'
import type { RequestTarget } from './target.ts'

/**
 * Adds the client's other fields where the upstream speaks the same dialect and they are allowed; notes all others.
 */
export function withExtraFields(
  body: JsonObject,
  extra: JsonObject,
  target: RequestTarget,
  notes: Notes,
): Record<string, unknown> {
  const whole: Record<string, unknown> = { ...body }
  for (const [field, value] of Object.entries(extra)) {
    if (target.sameDialect === true && target.allowedFields?.includes(field) !== false) {
      whole[field] = joined(value, whole[field])
    } else {
      for (const name of namesIn(field, value, body[field])) {
        notes.dropped(name, notUnderstood)
      }
    }
  }
  return whole
}

// A field that we understood in part stands in both: `thinking.type` in our body, `thinking.display` in the rest.
function joined(extra: unknown, ours: unknown): unknown {
  if (Array.isArray(extra) && Array.isArray(ours)) return [...ours, ...extra]
  if (isJsonObject(extra) && isJsonObject(ours)) return { ...extra, ...ours }
  return ours ?? extra
}

const partlyRead = new Set([
  'thinking',
  'output_config',
  'metadata',
  'stream_options',
  'reasoning',
  'text',
  'generationConfig',
  'toolConfig',
])

function namesIn(field: string, value: unknown, ours: unknown): string[] {
  if (field === 'tools' && Array.isArray(value)) {
    return value.map((tool: unknown) => `tools (${isJsonObject(tool) ? kindOf(tool) : '?'})`)
  }
  const isPart = partlyRead.has(field) && isJsonObject(value) && ours === undefined
  return isPart ? Object.keys(value).map((key) => `${field}.${key}`) : [field]
}

/** Some dialects have a field for the kind of a tool; in others a tool is an object with one field, which tells it. */
function kindOf(tool: JsonObject): string {
  return nonEmptyText(tool['type'] ?? tool['name']) ?? Object.keys(tool).join(', ')
}

/** Clients ask for as much as their own models can write. An upstream that can write less answers 400 to it. */
export function limitedMaxTokens(
  { maxTokens }: ConversationRequest,
  { maxOutputTokens }: RequestTarget,
  notes: Notes,
): number | undefined {
  if (maxTokens === undefined || maxOutputTokens === undefined || maxTokens <= maxOutputTokens)
    return maxTokens
  notes.changed('max_tokens', `The upstream writes at most ${maxOutputTokens}.`)
  return maxOutputTokens
}

/** Some dialects give reasoning a budget of tokens, others name an effort. These two turn one into the other. */
export function effortOfBudget(budgetTokens: number): string {
  if (budgetTokens < 4096) return 'low'
  return budgetTokens < 16_384 ? 'medium' : 'high'
}

export function budgetOfEffort(effort: string | undefined): number {
  return budgets.get(effort ?? 'medium') ?? 24_576
}

const budgets: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
])
