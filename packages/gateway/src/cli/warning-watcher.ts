import type { AnswerWatcher } from '../exchange/answer-watch.ts'

/** Warns of what was wrong in an answer and of what was repaired. */
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
