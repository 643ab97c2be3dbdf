import { madeOnce } from '../text/made-once.ts'
import type { FormatId } from './format-id.ts'
import { modelNames } from './model-names.ts'

export type FormatOverrides = Readonly<Record<string, FormatId>>

export interface DetectedModel {
  readonly format: FormatId
  /** Which of the format's syntaxes the release writes, where the name tells. */
  readonly grammar?: string
  /** The name or an override says `standard`. Absent: the format is `standard` because the name says nothing. */
  readonly isTold?: true
  /** An override decided: the user set the format, so it is law, also where the name suggests the same one. */
  readonly isOverride?: true
}

/**
 * The format a model's name suggests; `standard` if it suggests none. `overrides` maps exact names or globs
 * (`*`) to formats; the first that matches wins over the name. It is compiled once: pass a new object, do not
 * change one that was passed before.
 */
export function detectFormat(modelId: string, overrides?: FormatOverrides): FormatId {
  return detectModel(modelId, overrides).format
}

export function isKimiModel(modelId: string): boolean {
  return detectFormat(modelId) === 'kimi'
}

export function detectModel(modelId: string, overrides?: FormatOverrides): DetectedModel {
  return (overrides === undefined ? withoutOverrides : detectorFor(overrides)).detect(modelId)
}

/** Names come from clients: without a bound, a client that invents names would fill the memory. */
export const rememberedNames = 1024

/**
 * Longer names are paths, and a path says which model it is at its end. They are not remembered either: the
 * bound on their number would be no bound on their bytes.
 */
export const inspectedLength = 256

/** Detection under one set of overrides, with a memory of the names seen. */
export class ModelDetector {
  readonly #overrides: readonly Override[]
  readonly #seen = new Map<string, DetectedModel>()

  constructor(overrides: FormatOverrides) {
    this.#overrides = Object.entries(overrides).map(([pattern, format]) => ({
      parts: pattern.toLowerCase().split('*'),
      model: { ...modelOf(format), isOverride: true },
    }))
  }

  get remembered(): number {
    return this.#seen.size
  }

  detect(modelId: string): DetectedModel {
    const known = this.#seen.get(modelId)
    if (known !== undefined) return known

    const model = this.#overrideFor(modelId) ?? modelByName(normalisedName(modelId))
    if (modelId.length <= inspectedLength) {
      if (this.#seen.size >= rememberedNames) this.#seen.clear()
      this.#seen.set(modelId, model)
    }
    return model
  }

  #overrideFor(modelId: string): DetectedModel | undefined {
    if (this.#overrides.length === 0) return undefined
    const name = modelId.toLowerCase()
    return this.#overrides.find(({ parts }) => matchesGlob(name, parts))?.model
  }
}

interface Override {
  /** The pattern cut at each `*`: a single part is an exact name. */
  readonly parts: readonly string[]
  readonly model: DetectedModel
}

const withoutOverrides = new ModelDetector({})
const detectorFor = madeOnce((overrides: FormatOverrides) => new ModelDetector(overrides))

// Taking each part where it first occurs leaves most room for the rest, so there is nothing to go back to;
// the same pattern as a regular expression would try every split of a name made to be slow.
function matchesGlob(name: string, parts: readonly string[]): boolean {
  const [head = '', ...rest] = parts
  const tail = rest.pop()
  if (tail === undefined) return name === head
  if (!name.startsWith(head) || !name.endsWith(tail)) return false

  let at = head.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - tail.length
}

/** The name of a model as the patterns for names want it. */
export function normalisedName(modelId: string): string {
  return modelId
    .slice(-inspectedLength)
    .toLowerCase()
    .replaceAll(/[_\s]/g, '-')
    .replaceAll(/--|\\/g, '/')
    .replaceAll(/(?<=\d)p(?=\d)/g, '.')
}

function modelByName(name: string): DetectedModel {
  const row = modelNames.find(({ pattern }) => pattern.test(name))
  if (row === undefined) return { format: 'standard' }
  const { format } = row
  const grammar = row.grammar ?? grammarByName(name, format)
  return grammar === undefined ? modelOf(format) : { format, grammar }
}

function modelOf(format: FormatId): DetectedModel {
  return format === 'standard' ? { format, isTold: true } : { format }
}

function grammarByName(name: string, format: FormatId): string | undefined {
  return modelNames.find(
    (row) => row.format === format && row.grammar !== undefined && row.pattern.test(name),
  )?.grammar
}
