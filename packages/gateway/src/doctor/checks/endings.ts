import { type Check, type Finding, note, ok, skipped, warn } from '../finding.ts'
import { saysCalls, saysLength, saysWhole } from '../judge-call.ts'
import type { Patient } from '../patient.ts'

/** Whether the server says rightly why an answer ended. */
export const endingChecks: readonly Check[] = [
  { id: 'finish', title: 'why it ended', needs: ['stream'], run: finish },
  { id: 'cut', title: 'a call cut by the limit', needs: ['call-streamed'], run: cut },
]

async function finish(patient: Patient): Promise<Finding> {
  const plain = await patient.answer('plain')
  if (plain.saidFinish === null) return note('not told', 'The gateway goes by the end of the stream.')
  if (saysCalls(plain.saidFinish)) {
    return note(`${plain.saidFinish} for a plain answer`, 'The gateway puts it right.')
  }
  const [call] = await patient.given('call')
  const isStructured = call?.calls.some(({ from }) => from === 'fields') === true
  if (isStructured && saysWhole(call.saidFinish)) return ok(`${plain.saidFinish}, with calls and without`)
  if (isStructured && !saysCalls(call.saidFinish)) {
    return note(`${call.saidFinish ?? 'nothing'} for an answer with calls`, 'The gateway puts it right.')
  }
  return ok(isStructured ? `${plain.saidFinish}, and ${call.saidFinish} for calls` : plain.saidFinish)
}

async function cut(patient: Patient): Promise<Finding> {
  const { refusal, saidFinish, calls, text, finish: told, failure } = await patient.answer('cutCall')
  if (refusal !== null) return skipped(`the server refused the question: ${refusal.message}`)
  if (saysLength(saidFinish)) return ok(`${saidFinish}, as it should be`)
  const [call] = calls
  if (call === undefined && text === '' && failure === null) return skipped('nothing came to be cut')
  if (call?.isWhole === true) return skipped('the model wrote less than the limit')
  const toldWell = told === 'length' || failure !== null
  return warn(
    `the limit cut the answer, and the server calls it ${saidFinish ?? 'nothing'}`,
    toldWell
      ? 'The gateway tells clients that the call is not whole.'
      : 'Clients cannot tell that it is not whole: give the model room for long answers.',
  )
}
