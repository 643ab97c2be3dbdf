import { isJsonObject, type JsonObject } from '../json/objects.ts'
import type { Notes } from './notes.ts'

/** The fields in which requests speak of thinking. One inside another has a dot before its name. */
const thinkingFields = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'chat_template_kwargs',
  'preserve_thinking',
  'clear_thinking',
  'thinking_budget',
  'thinking_token_budget',
  'thinking_budget_tokens',
  'output_config',
  'generationConfig.thinkingConfig',
] as const

export type ThinkingField = (typeof thinkingFields)[number]

/**
 * Which fields about thinking an upstream refuses, by the body or the message of its 400. Null where the refusal is about
 * something else: a request that failed for another reason must not lose its wish.
 */
export function refusedThinkingField(refusal: string): ThinkingField[] | null {
  const text = refusal.slice(0, longestRefusal).replaceAll('\\"', '"')
  // Such a refusal is about what stands in the conversation, and not about a field of the request.
  if (/\bmessages(?:\.|\[)\d/.test(text)) return null
  const told = wordings.find(({ pattern }) => pattern.test(text))?.fields
  const fields = told ?? thinkingFields.filter((field) => isNamed(field, text))
  return fields.length === 0 ? null : [...fields]
}

/**
 * Whether the upstream refuses a field whatever its value is. If not, another request may have a value that it takes.
 */
export function lastingRefusal(refusal: string): boolean {
  const text = refusal.slice(0, longestRefusal)
  const wording = wordings.find(({ pattern }) => pattern.test(text))
  return wording === undefined ? refusesAnyValue.test(text) : wording.refuses !== 'a value'
}

const refusesAnyValue =
  /(?:un|not |n't )support|not (?:permitted|allowed|available)|forbidden|un(?:recogni[sz]ed|known|expected)/i

/** Validators repeat what they were sent behind their message, and that can be the whole conversation. */
const longestRefusal = 4000

interface Wording {
  readonly pattern: RegExp
  readonly fields: readonly ThinkingField[]
  /** If left out, the field whatever its value is. */
  readonly refuses?: 'a value'
}

/** Refusals that name no field, or another one than the request has to lose. */
const wordings: readonly Wording[] = [
  // Ollama.
  { pattern: /"[^"]+" does not support thinking\b/, fields: ['reasoning_effort', 'reasoning', 'thinking'] },
  // OpenRouter.
  { pattern: /reasoning is mandatory for this endpoint/i, fields: ['reasoning', 'reasoning_effort'] },
  // LM Studio.
  {
    pattern: /does not expose reasoning configuration|reasoning setting '[^']*' is not supported/i,
    fields: ['reasoning_effort', 'reasoning'],
  },
  // xAI.
  { pattern: /does not support parameter reasoningEffort/, fields: ['reasoning_effort', 'reasoning'] },
  // vLLM, with a tokenizer of Mistral.
  { pattern: /chat_template is not supported for Mistral tokenizers/, fields: ['chat_template_kwargs'] },
  // llama.cpp: the argument stands in the field for the template.
  { pattern: /invalid type for "enable_thinking"/, fields: ['chat_template_kwargs', 'enable_thinking'] },
  // vLLM, without a parser for reasoning.
  { pattern: /thinking_token_budget is set but/, fields: ['thinking_token_budget'] },
  // SGLang.
  {
    pattern: /Anthropic thinking is not supported|cannot be disabled via Anthropic thinking/,
    fields: ['thinking'],
  },
  // Anthropic.
  { pattern: /adaptive thinking is not supported/i, fields: ['thinking'] },
  { pattern: /does not support the effort parameter/, fields: ['output_config'] },
  // Google: a level or a budget that the model does not have.
  {
    pattern:
      /thinking[ _]level \w+ is not supported|budget -?\d+ is invalid|budget is invalid|works in thinking mode/i,
    fields: ['generationConfig.thinkingConfig'],
    refuses: 'a value',
  },
  {
    pattern:
      /\bthinking(?:[ _]?(?:config|level|budget))? is not (?:supported|enabled|configurable)|\bthinking_config\b|\bthinkingConfig\b/i,
    fields: ['generationConfig.thinkingConfig'],
  },
]

/** Whether the text refuses this field: by name beside a word for that, or where servers name the culprit. */
function isNamed(field: ThinkingField, text: string): boolean {
  const { place, sentence } = patterns.get(field) ?? patternsFor(field)
  // A validator that names the place says nothing else of the request, but repeats parts of it behind its message.
  return place.test(text) || (!/['"]loc['"]/.test(text) && sentence.test(text))
}

const refuses =
  "(?:un|not |n't )support(?:ed)?|not (?:permitted|allowed|available|one of)|forbidden|un(?:recogni[sz]ed|known|expected)|invalid(?!_request)|(?:must|should) be|can ?not"

interface RefusalPatterns {
  readonly place: RegExp
  readonly sentence: RegExp
}

const patterns: ReadonlyMap<ThinkingField, RefusalPatterns> = new Map(
  thinkingFields.map((field) => [field, patternsFor(field)]),
)

function patternsFor(field: ThinkingField): RefusalPatterns {
  const quoted = `['"\`]${field}(?:\\.\\w+)*['"\`]`
  // Two of the fields are words of every sentence about the matter. They count only where they stand as names.
  const isWord = field === 'reasoning' || field === 'thinking'
  const name = isWord ? `(?:${quoted}|\\b${field}\\.\\w+|supplied: ${field}\\b)` : `\\b${field}\\b`
  return {
    place: new RegExp(`['"]body['"], ?['"]${field}['"]|"param": ?"${field}(?:\\.\\w+)*"`),
    sentence: new RegExp(`(?:${refuses})[^\\n]{0,80}?${name}|${name}[^\\n]{0,100}?(?:${refuses})`, 'i'),
  }
}

/** The body without the fields that this upstream refused. */
export function withoutRefused(
  body: JsonObject,
  refused: readonly string[] | undefined,
  notes: Notes,
): Record<string, unknown> {
  if (refused === undefined) return { ...body }
  const entries = Object.entries(body).map(([field, value]): [string, unknown] => {
    const inside = refused.flatMap((each) => (each.startsWith(`${field}.`) ? [each] : []))
    const kept = refused.includes(field) ? restOf(field, value) : withoutInside(value, inside)
    if (kept !== value) notes.dropped(inside[0] ?? field, 'The upstream has refused it before.')
    return [field, kept]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** An object without the fields at these places; the very value where it has none of them. */
function withoutInside(value: unknown, places: readonly string[]): unknown {
  if (!isJsonObject(value)) return value
  const names = new Set(places.map((place) => place.slice(place.indexOf('.') + 1)))
  const kept = Object.entries(value).filter(([name]) => !names.has(name))
  if (kept.length === Object.keys(value).length) return value
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** The field that holds an effort beside a format of the answer loses the effort alone. */
function restOf(field: string, value: unknown): unknown {
  if (field !== 'output_config' || !isJsonObject(value)) return undefined
  if (!('effort' in value)) return value
  const { effort: _, ...rest } = value
  return Object.keys(rest).length === 0 ? undefined : rest
}
