import type { ToolSet } from './tool-set.ts'

/** How a grammar writes the header of a call. */
export interface HeaderShape {
  /** Stands in front of a name and is no part of it. */
  readonly prefix?: string
  /** The header is an id made of a name and a running number, `functions.NAME:3`. */
  readonly isId?: boolean
}

export interface CallHeader {
  /** What the model wrote, if that is an id. */
  readonly id: string | null
  /** Null if the header does not say. */
  readonly name: string | null
}

/** Ids of other systems, bare counters, hexadecimal noise: no tool has such a name. */
const opaqueId = /^(?:(?:call|tool|toolu|fc|chatcmpl)[-_].*|\d*|(?=.*\d)[0-9a-f]{8,}(?:-[0-9a-f]+)*)$/i

export function readHeader(header: string, shape: HeaderShape, tools: ToolSet): CallHeader {
  if (shape.isId !== true) return { id: null, name: header.trim() || null }
  // Detokenizers put spaces and line breaks around the parts of an id; names hold none.
  const id = header.replaceAll(/\s+/g, '')
  return { id: id === '' ? null : id, name: nameInId(id, shape.prefix ?? '', tools) }
}

function nameInId(id: string, prefix: string, tools: ToolSet): string | null {
  const isPrefixed = prefix !== '' && id.startsWith(prefix)
  const rest = isPrefixed ? id.slice(prefix.length) : id
  if (tools.has(rest)) return rest
  // The last colon: names may hold colons and dots of their own.
  const indexed = /^(.+):\d+$/.exec(rest)?.[1]
  if (indexed !== undefined && tools.has(indexed)) return indexed
  return declaredInside(id, prefix, tools) ?? indexed ?? plainName(rest, isPrefixed)
}

/** `functionsexec5`, `functions_read_file_3`: punctuation lost or cleaned away by some client. */
function declaredInside(id: string, prefix: string, tools: ToolSet): string | null {
  const word = prefix.replace(/\W$/, '')
  const rest = word !== '' && id.startsWith(word) ? id.slice(word.length).replace(/^[._:]/, '') : id
  if (tools.has(rest)) return rest
  const unnumbered = rest.replace(/[_:]?\d+$/, '')
  return tools.has(unnumbered) ? unnumbered : null
}

function plainName(rest: string, isPrefixed: boolean): string | null {
  if (rest === '') return null
  return isPrefixed || !opaqueId.test(rest) ? rest : null
}
