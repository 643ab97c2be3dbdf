import { ask, faultOf } from './ask.mjs'
import { dialectNames, smallRequest } from './dialects.mjs'

/**
 * Streams of which some end within two seconds, and the others would take a minute; then the gateway is asked to end. Resolves
 * to how many came whole, how many were told of it in the stream, and how the program ended.
 */
export async function drainWith(gateway, { ending, staying }) {
  const outcomes = { whole: 0, told: 0, other: [] }
  let begun = 0
  let allBegun
  const isBegun = new Promise((resolve) => (allBegun = resolve))
  const streams = Array.from({ length: ending + staying }, async (_, number) => {
    const dialect = dialectNames[number % dialectNames.length]
    const script = { pieces: number < ending ? 20 : 600, pause: 100 }
    let hasBegun = false
    const onPiece = () => {
      if (hasBegun) return
      hasBegun = true
      if (++begun === ending + staying) allBegun()
    }
    const answer = await ask(gateway.port, dialect, smallRequest(dialect, script), { onPiece }).catch(
      (error) => ({
        status: 0,
        text: String(error),
      }),
    )
    const fault = faultOf(dialect, answer, script)
    if (fault === null) outcomes.whole++
    else if (isTold(answer)) outcomes.told++
    else outcomes.other.push(fault)
  })
  await isBegun
  const began = performance.now()
  const code = await gateway.end()
  const seconds = (performance.now() - began) / 1000
  await Promise.all(streams)
  return { ...outcomes, code, seconds }
}

/** An error in the stream, and nothing that looks like a whole answer. */
function isTold({ status, text }) {
  return status === 200 && /"error"/.test(text) && !/\[DONE\]|message_stop|response\.completed/.test(text)
}
