import type { ModelEvent } from '../../src/events.ts'

/**
 * One line an event. Messages are left out: they are for people and may be reworded, codes and sources may not.
 */
export function eventLog(events: readonly ModelEvent[]): string {
  return events.map(eventLine).join('\n')
}

function eventLine(event: ModelEvent): string {
  switch (event.type) {
    case 'text':
    case 'reasoning':
      return `${event.type} ${JSON.stringify(event.text)}`
    case 'call-start':
      return `call-start ${event.index} ${bareName(event.name)}${event.id === null ? '' : ` id=${JSON.stringify(event.id)}`}`
    case 'call-delta':
      return `call-delta ${event.index} ${visibleControls(event.json)}`
    case 'call-end':
      return `call-end ${event.index}${event.complete ? '' : ' incomplete'}`
    case 'problem':
      return `problem ${event.code}${event.source === '' ? '' : ` ${JSON.stringify(event.source)}`}`
    default:
      return `repair ${event.code}`
  }
}

function bareName(name: string): string {
  return /^[\w.:-]+$/.test(name) ? name : JSON.stringify(name)
}

/**
 * Argument JSON is shown as it is, but a raw line break in it would look like a second event:
 * control characters become their pictures (a newline is ␊).
 */
function visibleControls(json: string): string {
  let visible = ''
  let shown = 0
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code >= 0x20) continue
    visible += json.slice(shown, at) + String.fromCharCode(0x2400 + code)
    shown = at + 1
  }
  return visible + json.slice(shown)
}
