import { type Content, mintToolId, type MintId } from '@dragoman/core'

const PREFIX = 'hist_tool_'
/** What follows is an id as it was. */
const RAW = `${PREFIX}raw_`

/** The id of a call in the canonical history, from which the upstream that made it gets its own back. */
export function historyId(id: string): string {
  if (id.startsWith(PREFIX)) return id
  const rest = id.replace(/^(?:call|toolu)_/, '')
  return rest === id || rest === '' || rest.startsWith('raw_') ? RAW + id : PREFIX + rest
}

/** Every spelling of the ids in a history: an upstream that gives one out again gets another in its place. */
export function takenIds(contents: readonly Content[]): ReadonlySet<string> {
  return new Set(
    contents.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool_call' ? spellings(block.id) : [])),
    ),
  )
}

export function mintWith(newId: () => string): MintId {
  return (format, taken) => mintToolId({ dialect: 'openai-chat', format, taken, newId })
}

function spellings(id: string): string[] {
  if (id.startsWith(RAW)) return [id, id.slice(RAW.length)]
  const bare = historyId(id).slice(PREFIX.length)
  return [id, `call_${bare}`, `toolu_${bare}`]
}
