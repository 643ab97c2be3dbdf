import { detectFormat, detectModel, DragomanError, resolveFormatId, type FormatId } from '@dragoman/core'
import type { Writing, WrittenCall } from './writing.ts'
import { writings } from './writings.ts'

/** Writes calls exactly as the template of a model does. `name` is a writing or a format. */
export function writeCalls(
  name: string,
  calls: readonly WrittenCall[],
  { startIndex = 0 }: { startIndex?: number } = {},
): string {
  const writing = getWriting(name)
  if (writing.kind === 'text') return writing.calls(calls, startIndex)
  throw new DragomanError('invalid-option', `${writing.id} calls are structured: there is no text to write.`)
}

/** The writing of this name. The name of a format means its usual writing. */
export function findWriting(name: string): Writing | undefined {
  const format = resolveFormatId(name)
  return (
    writings.find(({ id }) => id === name) ??
    writings.find(({ formats }) => format !== undefined && formats.includes(format))
  )
}

export function getWriting(name: string): Writing {
  const writing = findWriting(name)
  if (writing !== undefined) return writing
  throw new DragomanError(
    'unknown-format',
    `The simulator cannot write "${name}". It can: ${writableNames().join(', ')}.`,
  )
}

/** Every name that `getWriting` accepts. */
export function writableNames(): string[] {
  return [...new Set([...writings.flatMap(({ formats }) => formats), ...writings.map(({ id }) => id)])]
}

/** The writing of a model of this name. Where a format is given, the name chooses among its writings. */
export function writingForModel(model: string, name?: string): Writing {
  if (name === undefined) return writingByModel(model) ?? getWriting('standard')
  const usual = getWriting(name)
  const format = resolveFormatId(name)
  if (usual.id === name || format === undefined) return usual
  const byModel = writingByModel(model)
  return byModel?.formats.includes(format) === true ? byModel : usual
}

function writingByModel(model: string): Writing | undefined {
  const { format, grammar } = detectModel(model)
  return (
    writings.find(({ models }) => models.includes(model)) ??
    releaseOf(grammar, model) ??
    (format === 'standard' ? undefined : findWriting(format))
  )
}

function releaseOf(grammar: string | undefined, model: string): Writing | undefined {
  const candidates = writings
    .filter((each) => each.kind === 'text')
    .filter((each) => each.grammar === grammar)
  return (
    candidates.find(({ releases }) => releases?.test(model) === true) ??
    candidates.find(({ releases }) => releases === undefined)
  )
}

/** The format whose rules apply to a conversation: the given one, or the one that the name of the model tells. */
export function familyOf(model: string, writing: Writing): FormatId {
  const detected = detectFormat(model)
  if (writing.kind === 'structured' || writing.formats.includes(detected)) return detected
  return writing.formats[0] ?? 'standard'
}
