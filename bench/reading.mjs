import { createParser, createParserStage } from '../packages/core/dist/library/index.js'
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

/** Whether the call comes out as it was written: how fast something fails is worth nothing. */
export function isRead(chunks, options, { name, arguments: expected }) {
  const parser = createParser({ tools, ...options })
  const events = [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end('stop')]
  const names = events.flatMap((event) => (event.type === 'call-start' ? [event.name] : []))
  const json = events.flatMap((event) => (event.type === 'call-delta' ? [event.json] : [])).join('')
  return names.join() === name && JSON.stringify(JSON.parse(json)) === JSON.stringify(expected)
}
