import type { Notes } from './notes.ts'

/** A message to put in front of a conversation that the model begins, for upstreams that refuse one. */
export function shortBeginning(notes: Notes): { readonly role: 'user'; readonly content: string } {
  notes.changed('messages', 'The conversation has to begin with the user; a short message was put in front.')
  return { role: 'user', content: 'Go on.' }
}
