import type { ModelEvent } from '../../events.ts'
import { isBlank } from '../../text/space.ts'

/** The tools that the upstream was offered, by the names it got. */
export interface DeclaredTools {
  has(name: string): boolean
  names(): Iterable<string>
}

/**
 * The name of the declared tool that is meant. Servers that read a model's calls themselves may leave what it writes
 * around the name: `functions.NAME`, `functions.NAME:0`. A name that is declared as it came stays.
 */
export function declaredName(name: string, tools: DeclaredTools): string {
  if (tools.has(name)) return name
  const bare = name.startsWith(prefix) ? name.slice(prefix.length) : name
  if (tools.has(bare)) return bare
  const unnumbered = bare.replace(/:\d+$/, '')
  return tools.has(unnumbered) ? unnumbered : name
}

const prefix = 'functions.'

/** Whether the name is that of a tool, and more of it would not be that of another. */
export function isWholeName(name: string, tools: DeclaredTools): boolean {
  const declared = declaredName(name, tools)
  if (!tools.has(declared)) return false
  for (const other of tools.names()) if (other !== declared && other.startsWith(declared)) return false
  return true
}

/** A name without the tokens that servers of channel formats leave behind it: `read_file<|channel|>commentary`. */
export function withoutTokens(name: string): string {
  const at = name.indexOf('<|')
  return at <= 0 ? name : name.slice(0, at).trimEnd()
}

/** The call that the events make, if they make one, whole, and nothing else. */
export function onlyCall(
  events: readonly ModelEvent[],
): { readonly name: string; readonly json: string } | null {
  let name: string | null = null
  let json = ''
  let isWhole = false
  for (const event of events) {
    if (event.type === 'reasoning' || (event.type === 'text' && !isBlank(event.text))) return null
    if (event.type === 'call-start' && name !== null) return null
    if (event.type === 'call-start') name = event.name
    if (event.type === 'call-delta') json += event.json
    if (event.type === 'call-end') isWhole = event.complete
  }
  return name === null || !isWhole ? null : { name, json }
}
