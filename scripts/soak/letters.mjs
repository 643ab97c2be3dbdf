import { ask } from './ask.mjs'
import { dialectNames, dialects, smallRequest } from './dialects.mjs'

/** A call whose arguments come letter by letter, to a client of each dialect. Resolves to the seconds that each took. */
export async function readLetters(gateway, letters) {
  const figures = []
  const faults = []
  for (const dialect of dialectNames) {
    const began = performance.now()
    const { text } = await ask(gateway.port, dialect, smallRequest(dialect, { pieces: 0, letters }))
    figures.push({ dialect, seconds: (performance.now() - began) / 1000 })
    const { end, call } = dialects[dialect]
    const said = lettersIn(text)
    const isWhole = end.test(text) && text.includes(call) && said % letters === 0 && said > 0
    if (!isWhole) faults.push(`${dialect}: ${said} letters, and the end is ${text.slice(-300)}`)
  }
  return { figures, faults }
}

/** The arguments are nothing but this letter, in pieces or in one. */
function lettersIn(text) {
  let count = 0
  for (const [, run] of text.matchAll(/(?:place\\*":\s*\\*"|"(?:arguments|partial_json|delta)":")(a+)/g))
    count += run.length
  return count
}
