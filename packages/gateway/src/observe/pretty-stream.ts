import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

const levelStyles: Readonly<Record<string, Style>> = {
  debug: 'gray',
  info: 'cyan',
  warn: 'yellow',
  error: 'red',
}

/** Log lines for people: the time, the message, then the fields. */
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
  const clock = String(time).slice(11, 19)
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return `${styleText('gray', clock)} ${styleText(style, String(msg))} ${styleText('gray', rest.join(' '))}\n`
}
