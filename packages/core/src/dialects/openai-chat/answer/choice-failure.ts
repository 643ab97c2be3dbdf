import type { Failure } from '../../../answer/answer.ts'
import { nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import { decodeFinishReason } from './finish-reason.ts'

/** Why a choice that says it has ended is no answer, or null. */
export function failureOfChoice(choice: JsonObject): Failure | null {
  const word = nonEmptyText(choice['finish_reason'])
  if (word === null) return null
  if (isErrorValue(choice)) return failureFromError(choice)
  if (decodeFinishReason(word) !== 'error') return null
  return failureFromError({ code: word, message: `The upstream ended its answer with "${word}".` })
}
