import type { AnswerWatcher } from '@dragoman/core'

/** Warns of what was wrong in an answer and of what was repaired. */
export function warningWatcher(warn: (message: string) => void): AnswerWatcher {
  return {
    problem: (code, message) => warn(`problem ${code}: ${message}`),
    repair: (code, message) => warn(`repair ${code}: ${message}`),
  }
}
