import type { ExchangeDetails } from '../api.ts'
import type { Input, Reading, ReadingSettings } from '../reading/protocol.ts'
import { parsed } from './json.ts'

/** The request as a command that anybody can run. The key is a variable, as no key is known here. */
export function asCurl(
  { client }: { readonly client: Pick<ExchangeDetails['client'], 'path' | 'headers'> },
  origin: string,
  body: string,
): string {
  // In double quotes, so that the shell puts the key into its place.
  const headers = Object.entries(client.headers).map(([name, value]) => `-H "${name}: ${value}"`)
  return [
    `curl -N ${quoted(origin + client.path)}`,
    `-H 'content-type: application/json'`,
    ...headers,
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A case in the form of the goldens of the project: chunks in, events out. */
export function asGolden(title: string, { settings }: Input, reading: Reading): string {
  const end = settings.end === 'unknown' ? reading.end : settings.end
  const options = { ...optionsOf(settings), ...(end === null ? {} : { end }) }
  const fence = '`'.repeat(Math.max(4, longestRun(reading.text) + 1))
  const chunks = reading.pieces.map(({ from, to, channel }) => {
    const info = channel === 'content' ? 'chunks' : 'chunks reasoning'
    return `${fence}${info}\n${escaped(reading.text.slice(from, to))}\n${fence}`
  })
  const events = reading.trace.events.map(eventLine).join('\n')
  return [
    `# ${title}`,
    `\`\`\`options\n${JSON.stringify(options, null, 2)}\n\`\`\``,
    '## as it was written',
    ...chunks,
    `${fence}events\n${events}\n${fence}`,
    '',
  ].join('\n\n')
}

/** The same as JSON: a line that `dragoman parse --jsonl` reads, and the events that must come of it. */
export function asCase(id: string, { settings }: Input, reading: Reading): string {
  const end = settings.end === 'unknown' ? reading.end : settings.end
  const request = {
    id,
    raw: reading.text,
    channel: reading.pieces[0]?.channel ?? 'content',
    ...optionsOf(settings),
    ...(reading.tools === null ? {} : { tools: reading.tools }),
    ...(end === null ? {} : { finishReason: end }),
  }
  return `${JSON.stringify({ request, events: reading.trace.events }, null, 2)}\n`
}

function optionsOf({
  format,
  model,
  tools,
  prompt,
  delivery,
  calls,
}: ReadingSettings): Record<string, unknown> {
  const declared = tools.trim() === '' ? undefined : parsed(tools)
  return {
    ...(format === 'auto' ? {} : { format }),
    ...(model === '' ? {} : { model }),
    ...(declared === undefined ? {} : { tools: declared }),
    ...(prompt === 'unknown' ? {} : { promptOpensReasoning: prompt === 'opened' }),
    ...(delivery === 'incremental' ? {} : { delivery }),
    ...(calls === 'read' ? {} : { calls }),
  }
}

/** In a golden a line is a chunk and a backslash begins an escape. */
function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
  return text.replaceAll(/[\\\n\r\t]/g, (char) => signs[char] ?? char)
}

function eventLine(event: Reading['trace']['events'][number]): string {
  switch (event.type) {
    case 'text':
    case 'reasoning':
      return `${event.type} ${JSON.stringify(event.text)}`
    case 'call-start': {
      const name = /^[\w.:-]+$/.test(event.name) ? event.name : JSON.stringify(event.name)
      return `call-start ${event.index} ${name}${event.id === null ? '' : ` id=${JSON.stringify(event.id)}`}`
    }
    case 'call-delta':
      return `call-delta ${event.index} ${pictured(event.json)}`
    case 'call-end':
      return `call-end ${event.index}${event.complete ? '' : ' incomplete'}`
    case 'problem':
      return `problem ${event.code}${event.source === '' ? '' : ` ${JSON.stringify(event.source)}`}`
    case 'repair':
      return `repair ${event.code}`
  }
}

/** A line break in arguments would look like a second event: control characters become their pictures. */
function pictured(json: string): string {
  return Array.from(json, (char) => {
    const code = char.charCodeAt(0)
    return code < 32 ? String.fromCharCode(0x2400 + code) : char
  }).join('')
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
}

/** Puts a text on the clipboard. The page of another machine has none without TLS: there a browser copies what is selected. */
export async function copy(text: string): Promise<void> {
  if (isSecureContext) {
    await navigator.clipboard.writeText(text)
    return
  }
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

/** Hands a text to the browser as a file. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
