import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import { readTag } from '../../text/tag-reader.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { Probe } from '../engine.ts'
import type { TaggedParamsRole } from './grammar.ts'

/** What is known of the call that seems to end. */
interface Given {
  readonly isEmpty: boolean
  /** Whether the tool declares a parameter of this name that was not given yet. */
  expects(key: string): boolean
}

/** Closing tags and white space are looked through this far. */
const LONGEST_GAP = 256
/** How much of an object is looked at for its first key. */
const LONGEST_KEY = 128

/**
 * Where arguments begin behind the closing tag at hand, and further closing tags. A model that closes a call right behind its
 * name and then writes the arguments has not called its tool without any: such a call would be wrong, and look whole.
 */
export function argumentsBehind(
  markers: MarkerSearch<TaggedParamsRole>,
  { text, final, at: from }: TextWindow,
  given: Given,
): number | 'none' | 'more' {
  let at = from
  for (;;) {
    at = skipSpace(text, at)
    if (at - from > LONGEST_GAP) return 'none'
    if (at === text.length) return final ? 'none' : 'more'
    const length = markers.match(text, at, final)
    if (length === PARTIAL) return 'more'
    const role = length === NONE ? undefined : markers.found
    if (role?.is === 'call-end' || role?.is === 'section-end') {
      at += length
      continue
    }
    const begins =
      role === undefined
        ? beginsObject(given, text, at, final)
        : beginsParameter(given, role, text, at + length, final)
    return begins === 'yes' ? at : begins === 'no' ? 'none' : 'more'
  }
}

function beginsParameter(
  given: Given,
  role: TaggedParamsRole,
  text: string,
  at: number,
  final: boolean,
): Probe {
  if (role.is !== 'parameter-begin') return 'no'
  if (given.isEmpty) return 'yes'
  const tag = readTag(text, at, role.tag, final)
  return tag === 'more' ? 'more' : tag !== 'bad' && given.expects(tag.name) ? 'yes' : 'no'
}

/** An object may be anything, a result that the model made up as well: only one that begins with a declared key is taken. */
function beginsObject(given: Given, text: string, at: number, final: boolean): Probe {
  if (!given.isEmpty || text.charAt(at) !== '{') return 'no'
  const object = text.slice(at, at + LONGEST_KEY)
  const key = /^\{\s*"([^"\\]+)"\s*:/.exec(object)?.[1]
  if (key !== undefined) return given.expects(key) ? 'yes' : 'no'
  const mayGoOn = object.length < LONGEST_KEY && /^\{\s*(?:"[^"\\]*(?:"\s*)?)?$/.test(object)
  return mayGoOn && !final ? 'more' : 'no'
}
