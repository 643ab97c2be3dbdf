import { createTracer, type OutputTrace, type ParserOptions, resolveFormatId } from '@dragoman/core'
import { deliveredIn } from './delivered.ts'
import type { BothReadings, Input, Reading, ReadingSettings, WirePiece } from './protocol.ts'
import { isRecord, type JsonRecord, parsed } from '../model/json.ts'
import { plain, readWire, type Wire } from './wire.ts'

/** Reads an input up to `cut`, as if the rest were still to come; or all of it. */
export function readInput(input: Input, cut: number | null): Reading {
  return readingOf(wireOf(input, cut !== Number.POSITIVE_INFINITY), input, cut)
}

/** Reads what the upstream said, and finds it in what the client got. */
export function readBoth(said: Input, got: Input, isEnded: boolean): BothReadings {
  const wire = wireOf(said, isEnded)
  // What has not ended must not be taken for broken off.
  const reading = readingOf(wire, said, isEnded ? null : Number.POSITIVE_INFINITY)
  const { pieces, stretches } = wireOf(got, isEnded)
  const [saidChunks, gotChunks] = [chunksOf(said), chunksOf(got)]
  return {
    said: reading,
    delivered: deliveredIn(gotChunks, stretches, reading.trace.events),
    saidTexts: textsOf(wire.pieces, saidChunks.length),
    gotTexts: textsOf(pieces, gotChunks.length),
  }
}

function chunksOf({ source }: Input): readonly string[] {
  return typeof source === 'string' ? [source] : source
}

/** Of what a chunk brought no more is shown. */
const LONGEST_TEXT = 200

function textsOf(pieces: readonly WirePiece[], count: number): (string | null)[] {
  const texts = Array.from({ length: count }, (): string | null => null)
  for (const { text, chunk } of pieces) {
    const before = texts[chunk] ?? ''
    if (before.length < LONGEST_TEXT) texts[chunk] = (before + text).slice(0, LONGEST_TEXT)
  }
  return texts
}

function readingOf(wire: Wire, input: Input, cut: number | null): Reading {
  const { options, complaints } = optionsOf(input.settings)
  const text = wire.pieces.map((piece) => piece.text).join('')
  return {
    is: wire.is,
    text,
    pieces: stretchesOf(wire.pieces),
    wireCalls: wire.calls,
    end: wire.end ?? null,
    trace: traceOf(wire, options, input.settings, cut),
    isEnded: cut === null,
    tools: options.tools ?? null,
    complaints: [...wire.complaints, ...complaints],
  }
}

export function wireOf({ source, as, settings }: Input, isEnded = true): Wire {
  if (as === 'auto') return readWire(source, settings.channel, isEnded)
  return { is: 'text', ...plain(typeof source === 'string' ? [source] : source, settings.channel) }
}

function traceOf(
  { pieces, end }: Wire,
  options: ParserOptions,
  settings: ReadingSettings,
  cut: number | null,
): OutputTrace {
  const tracer = createTracer(options)
  let left = cut ?? Number.POSITIVE_INFINITY
  for (const { text, channel } of pieces) {
    if (left <= 0) break
    tracer.push(left < text.length ? text.slice(0, left) : text, channel)
    left -= text.length
  }
  if (cut === null) tracer.end(settings.end === 'unknown' ? end : settings.end)
  return tracer.trace()
}

/** The options of the parser. What the settings hold and cannot be used is a complaint. */
export function optionsOf(settings: ReadingSettings): { options: ParserOptions; complaints: string[] } {
  const { format, model, prompt, delivery, calls } = settings
  const complaints: string[] = []
  const tools = toolsOf(settings.tools, complaints)
  const base: ParserOptions = {
    format: formatOf(format, complaints),
    model,
    delivery,
    calls,
    ...(prompt === 'unknown' ? {} : { promptOpensReasoning: prompt === 'opened' }),
  }
  return { options: tools === undefined ? base : { ...base, tools }, complaints }
}

function formatOf(name: string, complaints: string[]): NonNullable<ParserOptions['format']> {
  const known = name === 'auto' ? 'auto' : resolveFormatId(name)
  if (known === undefined) complaints.push(`No format has the name ${name}; it is found out.`)
  return known ?? 'auto'
}

/** A list of definitions or of names, or, as it is quicker to write, `{"get_weather": {"city": "string"}}`. */
function toolsOf(json: string, complaints: string[]): Record<string, unknown>[] | undefined {
  if (json.trim() === '') return undefined
  const value = parsed(json)
  const list = isRecord(value) ? listIn(value) : value
  if (!Array.isArray(list)) {
    complaints.push('The tools are not a list of definitions in JSON; they are left out.')
    return undefined
  }
  const tools = list.flatMap((tool: unknown) => {
    if (typeof tool === 'string') return [{ name: tool }]
    // A request to Gemini has its definitions one level deeper.
    const inner = isRecord(tool) ? tool['functionDeclarations'] : undefined
    if (Array.isArray(inner)) return inner.filter(isRecord)
    return isRecord(tool) ? [{ ...tool }] : []
  })
  if (tools.length < list.length) complaints.push('Some of the tools are no objects; they are left out.')
  return tools
}

function listIn(value: JsonRecord): unknown[] {
  if (Array.isArray(value['tools'])) return value['tools']
  if ('name' in value || 'function' in value) return [value]
  return Object.entries(value).map(([name, types]) => {
    const properties = isRecord(types) ? Object.entries(types) : []
    const typed = properties.map(([key, type]) => [
      key,
      typeof type === 'string' ? { type: type.split('|') } : type,
    ])
    return { name, parameters: { type: 'object', properties: Object.fromEntries(typed) as unknown } }
  })
}

function stretchesOf(pieces: readonly WirePiece[]): Reading['pieces'] {
  const stretches: { from: number; to: number; channel: WirePiece['channel'] }[] = []
  let at = 0
  for (const { text, channel } of pieces) {
    const last = stretches.at(-1)
    if (last?.channel === channel) last.to += text.length
    else stretches.push({ from: at, to: at + text.length, channel })
    at += text.length
  }
  return stretches
}
