import type { ToolSet } from '../tool-set.ts'

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
  /** A namespace stood in front of the name, and was left out. */
  readonly hasNamespace?: boolean
}

/** Ids of other systems, bare counters, hexadecimal noise: no tool has such a name. */
const opaqueId = /^(?:(?:call|tool|toolu|fc|chatcmpl)[-_].*|\d*|(?=.*\d)[0-9a-f]{8,}(?:-[0-9a-f]+)*)$/i

export function readHeader(header: string, shape: HeaderShape, tools: ToolSet): CallHeader {
  const written = header.trim()
  if (shape.isId !== true) return { id: null, name: written || null }
  // Detokenizers put spaces and line breaks around the parts of an id; few names hold any.
  const id = written.replaceAll(/\s+/g, '')
  const name = declaredIn(written, shape.prefix ?? '', tools) ?? nameInId(id, shape.prefix ?? '', tools)
  const last = name === null || tools.has(name) ? '' : name.slice(name.lastIndexOf('.') + 1)
  const isKnown = last !== '' && tools.has(last)
  return {
    id: id === '' ? null : id,
    name: isKnown ? last : name,
    ...(isKnown ? { hasNamespace: true } : {}),
  }
}

/**
 * The tool that a name means inside a namespace. Clients that offer the tools of several servers join the two; where
 * the name alone was offered, or nobody knows, the namespace has no place in a call.
 */
export function nameWithin(namespace: string, name: string, tools: ToolSet): string | null {
  const joined = [name, `${namespace}__${name}`, `${namespace}.${name}`, `mcp__${namespace}__${name}`]
  if (name !== '') return joined.find((each) => tools.has(each)) ?? name
  return tools.has(namespace) ? namespace : null
}

function nameInId(id: string, prefix: string, tools: ToolSet): string | null {
  const declared = declaredIn(id, prefix, tools) ?? declaredInside(id, prefix, tools)
  if (declared !== undefined) return declared
  const isPrefixed = prefix !== '' && id.startsWith(prefix)
  const rest = isPrefixed ? id.slice(prefix.length) : id
  const name = withoutIndex(rest)
  if (!/\p{L}/u.test(name) || name === prefix.replace(/\W$/, '')) return null
  return opaqueId.test(name) && !isPrefixed ? null : name
}

/** The declared tool that the id spells out, with or without prefix and number. */
function declaredIn(id: string, prefix: string, tools: ToolSet): string | undefined {
  const rest = id.startsWith(prefix) ? id.slice(prefix.length) : id
  // What stands behind the colon may be anything, where a tool has the name before it.
  return [rest, withoutIndex(rest), withoutIndex(id), id, rest.replace(/:[^:]*$/, '')].find((name) =>
    tools.has(name),
  )
}

/** Everything before the last colon with a number behind it: names may hold colons and dots of their own. */
function withoutIndex(id: string): string {
  return id.replace(/:\d+$/, '')
}

/** `functionsexec5`, `functions_read_file_3`: punctuation lost or cleaned away by some client. */
function declaredInside(id: string, prefix: string, tools: ToolSet): string | undefined {
  const word = prefix.replace(/\W$/, '')
  let rest = word !== '' && id.startsWith(word) ? id.slice(word.length).replace(/^[._:]/, '') : id
  // Digits go one by one: a name may end in some of its own.
  while (rest !== '') {
    if (tools.has(rest)) return rest
    if (!/[_:\d]$/.test(rest)) return undefined
    rest = rest.slice(0, -1)
  }
  return undefined
}
