import type { StoredConversation } from './conversation-lines.ts'

const MOST_FAULTS = 10

/** What to tell about a conversation that was loaded: what is wrong with it, then what there is. */
export function describeLoad(
  name: string,
  { contents, faults }: StoredConversation,
): { readonly faults: readonly string[]; readonly summary: string } {
  const told = faults
    .slice(0, MOST_FAULTS)
    .map(({ line, message }) => `${name}, line ${line}: ${message}; left out.`)
  const more = faults.length - told.length
  const human = contents.filter(({ speaker }) => speaker === 'human').length
  return {
    faults: more > 0 ? [...told, `${name}: ${more} more lines are broken.`] : told,
    summary: `Going on with ${name}: ${contents.length} messages, ${human} of them yours.`,
  }
}
