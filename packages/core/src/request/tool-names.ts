import { nineAlphanumerics } from '../ids/digest.ts'
import type { DialectId } from './dialect-id.ts'

/** Both directions of the names that an upstream could not take as they are. Other names stay. */
export interface ToolNames {
  toUpstream(name: string): string
  toClient(name: string): string
}

/** The longest tool name of each dialect. */
export const longestToolName: Readonly<Record<DialectId, number>> = {
  'openai-chat': 64,
  'anthropic-messages': 128,
}

/**
 * Names that are too long, or hold more than letters, digits, `_` and `-`, get a short one that depends on the name
 * alone. The request's own tools are enough to turn it back, so nothing is kept between request and answer.
 */
export function shortToolNames(
  tools: readonly { readonly name: string }[],
  longest: number = longestToolName['openai-chat'],
): ToolNames {
  const taken = new Set(tools.map(({ name }) => name))
  const shortNames = new Map<string, string>()
  const clientNames = new Map<string, string>()

  function toUpstream(name: string): string {
    if (name.length <= longest && legal.test(name)) return name
    const known = shortNames.get(name)
    if (known !== undefined) return known
    const short = freeName(name, longest, taken)
    taken.add(short)
    shortNames.set(name, short)
    clientNames.set(short, name)
    return short
  }

  for (const { name } of tools) toUpstream(name)
  return { toUpstream, toClient: (name) => clientNames.get(name) ?? name }
}

/** What every upstream takes, whatever the length. */
const legal = /^[a-zA-Z0-9_-]+$/

function freeName(name: string, longest: number, taken: ReadonlySet<string>): string {
  const head = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest - 10)
  for (let attempt = 0; ; attempt++) {
    const short = `${head}_${nineAlphanumerics(attempt === 0 ? name : `${name}/${attempt}`)}`
    if (!taken.has(short)) return short
  }
}
