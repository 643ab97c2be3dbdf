import type { SourceSpan } from '../reading/protocol.ts'

/** Every kind of span: what it is called on the page, and what it means. */
export const kinds: readonly {
  readonly id: SourceSpan['kind']
  readonly name: string
  readonly means: string
}[] = [
  { id: 'text', name: 'text', means: 'Went to the client as content.' },
  { id: 'reasoning', name: 'reasoning', means: 'Went to the client as reasoning.' },
  { id: 'markup', name: 'markup', means: 'Tags and tokens around calls and reasoning; taken out.' },
  { id: 'name', name: 'call name', means: 'The name of a tool call, or its id.' },
  { id: 'arguments', name: 'arguments', means: 'Became the arguments of a tool call.' },
  { id: 'repaired', name: 'repaired', means: 'Was rewritten so that the client can use it.' },
  {
    id: 'removed',
    name: 'removed',
    means: 'Was left out: a leaked token, or a call that could not be read.',
  },
  { id: 'held', name: 'held', means: 'Not passed on yet: what comes next decides what it is.' },
]
