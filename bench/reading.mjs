import { createParser, createParserStage } from '../packages/core/dist/index.js'
import { tools } from './inputs.mjs'

/** Where everything goes that nobody looks at. */
const nowhere = {
  text() {},
  reasoning() {},
  callStart() {},
  callDelta() {},
  callEnd() {},
  problem() {},
  repair() {},
}

/** Reads the chunks as one answer, written to a sink. */
export function toSink(chunks, options) {
  const stage = createParserStage({ tools, ...options }, nowhere)
  for (const chunk of chunks) stage.push(chunk, 'content')
  stage.end('stop')
}

/** The same as events. */
export function toEvents(chunks, options) {
  const parser = createParser({ tools, ...options })
  let events = 0
  for (const chunk of chunks) events += parser.push(chunk).length
  return void (events + parser.end('stop').length)
}

/** A benchmark of something that does not work would be worth nothing. */
export function checkReads(chunks, options, { name, arguments: expected }) {
  const parser = createParser({ tools, ...options })
  const events = [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end('stop')]
  const started = events.filter((event) => event.type === 'call-start')
  const json = events.flatMap((event) => (event.type === 'call-delta' ? [event.json] : [])).join('')
  const isRead = started.length === 1 && started[0].name === name
  if (!isRead || JSON.stringify(JSON.parse(json)) !== JSON.stringify(expected)) {
    throw new Error(`The call of ${name} was not read with ${JSON.stringify(options)}.`)
  }
}
