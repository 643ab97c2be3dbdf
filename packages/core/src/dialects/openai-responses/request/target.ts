import type { ResponsesTarget } from '../../../request/target.ts'

/** Whether the items and tools of a client go on as they are, and not in the plainest form that every server reads. */
export function takesAllItems({ sameDialect, responsesItems }: ResponsesTarget): boolean {
  return sameDialect === true && responsesItems !== 'plain'
}
