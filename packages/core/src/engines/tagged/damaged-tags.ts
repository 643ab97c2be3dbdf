import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import { noAttributes, type Tag } from '../../text/tag-reader.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Probe } from '../engine.ts'
import type { ToolSet } from '../tool-set.ts'
import type { TaggedParamsRole } from './grammar.ts'

/** How much of a tag that cannot be read is looked at for its name. */
const LONGEST_DAMAGE = 128

/**
 * The tag without the key that runs on from its name, where one closes that: `get_weathercity</arg_key>`. Undefined: more text
 * is needed.
 */
export function tagBeforeKey(
  markers: MarkerSearch<TaggedParamsRole>,
  tools: ToolSet,
  { text, final }: TextWindow,
  tag: Tag,
): Tag | undefined {
  const length = markers.match(text, tag.end, final)
  if (length === PARTIAL) return undefined
  if (length === NONE || markers.found.is !== 'key-end') return tag
  const name = toolBeforeKey(tools, tag.name) ?? tag.name
  return { ...tag, name, end: tag.end - (tag.name.length - name.length) }
}

/** The tool whose name the word begins with, where one of its keys is the rest. */
function toolBeforeKey(tools: ToolSet, written: string): string | undefined {
  return [...tools.names()].find(
    (tool) =>
      written.startsWith(tool) && Object.hasOwn(tools.properties(tool) ?? {}, written.slice(tool.length)),
  )
}

/** The word that the text begins with, and where it ends. */
export function firstWord(
  text: string,
  from: number,
  final: boolean,
): { readonly name: string; readonly end: number } | 'more' {
  const start = skipSpace(text, from)
  const [name = ''] = /^\S*/.exec(text.slice(start, start + LONGEST_DAMAGE)) ?? []
  const end = start + name.length
  return end === text.length && !final ? 'more' : { name, end }
}

/** A key with the word of its tag once more in front of it, or a colon behind it. */
export function keyMeant(written: string, expects: (key: string) => boolean): string {
  if (expects(written)) return written
  const key = written.replace(/^(?:parameter=)+/, '').replace(/:$/, '')
  return expects(key) ? key : written
}

/**
 * Reads the tag of a call or a parameter that is never closed, or that holds its value, `<arg_key>city=Paris`. Only a name or
 * a key that somebody declared tells it from other text.
 */
export function readDamagedTag(
  text: string,
  from: number,
  as: 'text' | 'inline',
  expects: (key: string) => boolean,
): Tag | undefined {
  const start = text.slice(from, from + LONGEST_DAMAGE)
  const read = as === 'text' ? /^\s*([\w.-]+)=/.exec(start) : /^([\w.=:-]+)[ \t]*(?=\r?\n)/.exec(start)
  if (read === null) return undefined
  const [whole, written = ''] = read
  const isMeant = expects(keyMeant(written, expects))
  if (!isMeant) return undefined
  return {
    name: written,
    attributes: noAttributes,
    isSelfClosing: false,
    value: 'bare',
    end: from + whole.length,
  }
}

/** Whether a key has a value. One that nothing follows but further markup was forgotten before its value was written. */
export function probeValue(
  markers: MarkerSearch<TaggedParamsRole>,
  { text, final }: TextWindow,
  { value, end }: Tag,
): Probe {
  if (value === undefined) return 'yes'
  if (value === 'none') return 'no'
  const at = skipSpace(text, end)
  if (at === text.length) return final ? 'no' : 'more'
  const length = markers.match(text, at, final)
  return length === PARTIAL ? 'more' : length === NONE ? 'yes' : 'no'
}
