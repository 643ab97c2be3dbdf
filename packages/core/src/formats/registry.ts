import { DragomanError } from '../errors.ts'
import { deepseek } from './deepseek.ts'
import { type FormatId, resolveFormatId } from './format-id.ts'
import type { Format } from './format.ts'
import { hermes } from './hermes.ts'
import { kimi } from './kimi.ts'
import { qwen } from './qwen.ts'
import { anthropic, standard } from './standard.ts'
import { xml } from './xml.ts'

/** Every format that can be read, in the order in which they are tried when nothing else decides. */
export const formats: readonly Format[] = [kimi, qwen, hermes, deepseek, xml, standard, anthropic]

const byId: ReadonlyMap<FormatId, Format> = new Map(formats.map((format) => [format.id, format]))

/** The format of this name, or undefined where its grammar is not known. */
export function findFormat(id: FormatId): Format | undefined {
  return byId.get(id)
}

/** The format a user named. */
export function getFormat(name: string): Format {
  const id = resolveFormatId(name)
  const format = id === undefined ? undefined : byId.get(id)
  if (format === undefined) {
    const known = formats.map((each) => each.id).join(', ')
    throw new DragomanError('unknown-format', `There is no format "${name}". Known formats: auto, ${known}.`)
  }
  return format
}
