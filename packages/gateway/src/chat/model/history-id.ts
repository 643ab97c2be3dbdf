import { type Content, defaultDialect, dialectIds, dialects, mintToolId, type MintId } from '@dragoman/core'

const PREFIX = 'hist_tool_'
/** The upstream's own id follows this prefix. */
const RAW = `${PREFIX}raw_`
/** How the ids of each dialect begin. */
const prefixes = dialectIds.map((id) => dialects[id].request.messages.idPrefix)

/** Makes the id of a call for the canonical history. The upstream that made the call gets its own id back from it. */
export function historyId(id: string): string {
  if (id.startsWith(PREFIX)) return id
  const prefix = prefixes.find((each) => id.startsWith(each)) ?? ''
  const rest = id.slice(prefix.length)
  return rest === id || rest === '' || rest.startsWith('raw_') ? RAW + id : PREFIX + rest
}

/** The ids of a history in every spelling. When an upstream uses one of them again, the new call gets another id. */
export function takenIds(contents: readonly Content[]): ReadonlySet<string> {
  return new Set(
    contents.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool_call' ? spellings(block.id) : [])),
    ),
  )
}

export function mintWith(newId: () => string): MintId {
  return (format, taken) => mintToolId({ dialect: defaultDialect, format, taken, newId })
}

function spellings(id: string): string[] {
  if (id.startsWith(RAW)) return [id, id.slice(RAW.length)]
  const bare = historyId(id).slice(PREFIX.length)
  return [id, ...prefixes.map((prefix) => prefix + bare)]
}
