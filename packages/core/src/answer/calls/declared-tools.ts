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

/** Whether more of the name has to come: it is no tool's, and the beginning of one's. */
export function isBeginningOfName(name: string, tools: DeclaredTools): boolean {
  if (tools.has(name)) return false
  for (const declared of tools.names()) if (declared.startsWith(name)) return true
  return false
}
