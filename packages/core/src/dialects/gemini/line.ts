/**
 * An event of a stream: `data: `, the JSON on one line, an empty line. Clients of this dialect find events with a
 * regular expression, for which U+2028 and U+2029 end a line as well: one of them in a text would stop all that follows.
 */
export function dataLine(json: string): string {
  return `data: ${onOneLine(json)}\n\n`
}

/** The same JSON. A line break in it is white space between values; the two others can stand in strings alone. */
function onOneLine(json: string): string {
  return lineEnds.test(json) ? json.replaceAll(allLineEnds, (end) => spellings.get(end) ?? ' ') : json
}

const lineEnds = /[\n\r\u2028\u2029]/
const allLineEnds = /[\n\r\u2028\u2029]/g

const spellings: ReadonlyMap<string, string> = new Map([
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
])
