import type { AnswerWatcher } from '../exchange/answer-watch.ts'

/** Says what was wrong in an answer, and what was done about it. */
export function warningWatcher(warn: (message: string) => void): AnswerWatcher {
  return {
    problem: (code, message) => warn(`problem ${code}: ${message}`),
    repair: (code, message) => warn(`repair ${code}: ${message}`),
    failed: ({ code, message }) => warn(`failure ${code}: ${message}`),
    call: () => {},
    callEnded: () => {},
    finished: () => {},
    usage: () => {},
  }
}
