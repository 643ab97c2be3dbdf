import { styleText } from 'node:util'
import { printable } from '../base/printable.ts'

type LevelStyle = Parameters<typeof styleText>[0]
type Fields = Readonly<Record<string, unknown>>

const levelStyles: Readonly<Record<string, LevelStyle>> = {
  debug: 'gray',
  info: 'cyan',
  warn: 'yellow',
  error: 'red',
}

/**
 * Writes log lines for people: the most important facts of a request, and the message and the fields of anything
 * else.
 */
export class PrettyStream {
  private readonly destination: { write(text: string): unknown }

  constructor(destination: { write(text: string): unknown }) {
    this.destination = destination
  }

  write(line: string): void {
    this.destination.write(pretty(line))
  }
}

function pretty(line: string): string {
  let entry: Record<string, unknown>
  try {
    entry = Object(JSON.parse(line))
  } catch {
    return line
  }
  const { level, time, msg, ...fields } = entry
  const style = levelStyles[String(level)] ?? 'white'
  const [head, rest] = msg === 'request' ? requestLine(fields) : [String(msg), allOf(fields)]
  const parts = [styleText('gray', String(time).slice(11, 19)), styleText(style, inOneLine(head))]
  if (rest.length > 0) parts.push(styleText('gray', inOneLine(rest.join('  '))))
  return `${parts.join(' ')}\n`
}

function requestLine(fields: Fields): [head: string, rest: string[]] {
  const { requestId, route, status, how, model, upstream, upstreamModel, format, ms, finish, ...more } =
    fields
  const { formatFrom: _formatFrom, firstByteMs: _firstByteMs, tokens, calls, ...remarks } = more
  const asked = upstreamModel === model ? model : `${String(model)} as ${String(upstreamModel)}`
  const place = isSaid(upstream) ? `${String(asked)} on ${String(upstream)}` : model
  const facts = [place, format, `${String(ms)} ms`, how === 'left' ? 'the client left' : null, finish]
  const counted = isSaid(tokens) ? `${String(tokens)} tokens` : null
  const rest = [...facts, Array.isArray(calls) ? calls.join(', ') : null, counted].filter(isSaid).map(String)
  return [`${String(status)} ${String(route)}`, [...rest, ...allOf({ ...remarks, requestId })]]
}

function allOf(fields: Fields): string[] {
  return Object.entries(fields)
    .filter(([, value]) => isSaid(value))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
}

function isSaid(value: unknown): boolean {
  return value !== null && value !== undefined
}

/**
 * A client can put anything into the name of a model. Neither a line break nor an escape sequence may reach the
 * terminal.
 */
function inOneLine(text: string): string {
  return printable(text.replaceAll(/[\r\n\t]/g, ' '))
}
