import { type FormatId, formatIds, resolveFormatId } from '@dragoman/core'
import { z } from 'zod'
import { didYouMean } from '../base/did-you-mean.ts'

/** A map that accepts these keys only. */
export function section<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.strictObject(shape, { error: says('must be a map of keys') })
}

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: says('must be a list') })
}

export function mapOf<Key extends z.ZodString, Value extends z.ZodType>(key: Key, value: Value) {
  return z.record(key, value, { error: says('must be a map of keys') })
}

export function flag() {
  return z.boolean({ error: says('must be true or false') })
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`
  const error = says(`must be a whole number, ${range}`)
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** A sum of money. */
export function money({ min = 0.000_001 }: { min?: number } = {}) {
  const error = says(min === 0 ? 'must be a number, 0 or more' : 'must be a number above 0')
  return z.number({ error }).min(min, { error })
}

/** A text that is not empty and that `fault` finds nothing wrong with. */
export function text(fault: (value: string) => string | undefined = () => undefined) {
  return z
    .string({ error: says('must be a text') })
    .min(1, { error: 'must not be empty', abort: true })
    .superRefine((value, context) => {
      const message = fault(value)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
}

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, {
    error: ({ input }) => {
      const meant = typeof input === 'string' ? didYouMean(input, values) : undefined
      return `must be one of ${values.join(', ')}${question(meant)}`
    },
  })
}

const thinkingLevels = ['auto', 'off', 'low', 'medium', 'high'] as const

/** A level of thinking, or a budget in tokens. */
export function thinking() {
  const error = says(`must be one of ${thinkingLevels.join(', ')}, or a number of tokens`)
  return z.union([z.enum(thinkingLevels), z.int().min(1)], { error })
}

// A timer with more milliseconds than this fires at once.
const longestTimer = 2_147_483_647

export function duration({ min = 1, max = longestTimer }: { min?: number; max?: number } = {}) {
  return z
    .string({ error: says('must be a duration with a unit, such as 250ms, 10s, 5m or 7d') })
    .regex(durationPattern, { error: 'must be a duration with a unit, such as 250ms, 10s, 5m or 7d' })
    .superRefine((value, context) => {
      const length = parseDuration(value)
      if (length === undefined || (length >= min && length <= max)) return
      const message = length < min ? 'must not be zero' : 'must be at most 24 days'
      context.addIssue({ code: 'custom', message })
    })
    .transform((value) => parseDuration(value) ?? 0)
}

/** The name of a format as users write it. */
export function formatName() {
  return formatText(formatIds).transform((value): FormatId => resolveFormatId(value) ?? 'standard')
}

/** The name of a format, or `auto` where the model's name and its stream decide. */
export function formatNameOrAuto() {
  return formatText(['auto', ...formatIds]).transform((value) => resolveFormatId(value) ?? 'auto')
}

export function says(message: string): z.core.$ZodErrorMap {
  return ({ input }) => (input === undefined ? 'is missing' : message)
}

function formatText(names: readonly string[]) {
  return z
    .string({ error: says('must be the name of a format') })
    .superRefine((value, context) => {
      if (names.includes(value) || resolveFormatId(value) !== undefined) return
      const message = `there is no format "${value}"${question(didYouMean(value, names))}`
      context.addIssue({ code: 'custom', message })
    })
    .meta({ examples: [...names] })
}

function question(meant: string | undefined): string {
  return meant === undefined ? '' : `. Did you mean ${meant}?`
}

/** Whole numbers with a unit: `250ms`, `10s`, `5m`, `2h`, `7d`. */
const durationPattern = /^(\d{1,12})(ms|s|m|h|d)$/

/** The milliseconds of a duration, or undefined for any other text. */
function parseDuration(value: string): number | undefined {
  const [, amount, unit] = durationPattern.exec(value) ?? []
  const factor = unit === undefined ? undefined : milliseconds.get(unit)
  return factor === undefined ? undefined : Number(amount) * factor
}

const milliseconds: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** Describes what is wrong with the name of a header that is sent with every request, or returns undefined. */
export function headerNameFault(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'is no name of a header'
  return ownHeaders.has(name.toLowerCase()) ? 'is set by the gateway itself' : undefined
}

// A line break would end the header and begin another that nobody configured.
export function headerValueFault(value: string): string | undefined {
  if (/[\r\n\0]/.test(value)) return 'must not hold a line break or a null character'
  return /[^\t\u0020-\u007E\u0080-\u00FF]/.test(value) ? 'holds characters that a header cannot' : undefined
}

const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
