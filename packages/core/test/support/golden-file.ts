import type { Channel, Piece } from './chunkings.ts'
import { isRecord } from './is-record.ts'
import type { EndReason, Options } from './run-parser.ts'
import { expandTools } from './tool-shorthand.ts'

/** One section of a golden file: what a model writes and the events that must come of it. */
export interface Golden {
  readonly title: string
  readonly options: Options
  readonly reason: EndReason | undefined
  readonly pieces: readonly Piece[]
  readonly log: string
  /** The lines of the file between the fences of the events block, the last one not included. */
  readonly logLines: { readonly from: number; readonly to: number }
}

/**
 * Reads a golden file: Markdown, a `## ` section for each behaviour, with the blocks
 * `options` (JSON; before the first section: defaults for all), `chunks` (a line is a chunk, with the escapes below)
 * or `input` (one chunk, literal), each optionally followed by its channel, and `events`. The rest is prose.
 */
export function readGoldens(markdown: string): Golden[] {
  const [head, ...sections] = splitSections(markdown.split('\n'))
  const defaults = mergedOptions({}, head?.blocks ?? [])
  return sections.map((section) => {
    try {
      return readGolden(section, defaults)
    } catch (cause) {
      throw new Error(`Golden "${section.title}" cannot be read: ${String(cause)}`, { cause })
    }
  })
}

/** The same file with other logs, one for each section. */
export function withLogs(markdown: string, logs: readonly string[]): string {
  const lines = markdown.split('\n')
  const goldens = readGoldens(markdown)
  for (const [index, { logLines }] of [...goldens.entries()].toReversed()) {
    const log = logs[index] ?? ''
    lines.splice(logLines.from, logLines.to - logLines.from, ...(log === '' ? [] : log.split('\n')))
  }
  return lines.join('\n')
}

interface Section {
  readonly title: string
  readonly blocks: readonly Block[]
}

interface Block {
  readonly kind: string
  readonly channel: string | undefined
  readonly from: number
  readonly lines: readonly string[]
}

function splitSections(lines: readonly string[]): Section[] {
  const sections: { title: string; blocks: Block[] }[] = [{ title: '', blocks: [] }]
  let fence: { mark: string; info: string; from: number } | null = null
  for (const [number, line] of lines.entries()) {
    if (fence !== null) {
      if (!closes(line, fence.mark)) continue
      const [kind = '', channel] = fence.info.trim().split(/\s+/)
      const block = { kind, channel, from: fence.from, lines: lines.slice(fence.from, number) }
      sections.at(-1)?.blocks.push(block)
      fence = null
      continue
    }
    const opened = /^(`{3,}|~{3,})(.*)$/.exec(line)
    if (opened !== null) fence = { mark: opened[1] ?? '', info: opened[2] ?? '', from: number + 1 }
    else if (line.startsWith('## ')) sections.push({ title: line.slice(3).trim(), blocks: [] })
  }
  if (fence !== null) throw new Error(`The block that opens on line ${fence.from} is never closed`)
  return sections
}

function closes(line: string, mark: string): boolean {
  const trimmed = line.trimEnd()
  return trimmed.startsWith(mark) && trimmed === mark.charAt(0).repeat(trimmed.length)
}

type Settings = Readonly<Record<string, unknown>>

function mergedOptions(defaults: Settings, blocks: readonly Block[]): Settings {
  const block = blocks.find(({ kind }) => kind === 'options')
  if (block === undefined) return defaults
  const given: unknown = JSON.parse(block.lines.join('\n'))
  if (!isRecord(given)) throw new Error('options: one JSON object')
  return { ...defaults, ...given }
}

function readGolden(section: Section, defaults: Settings): Golden {
  const { channel = 'content', end, tools, ...rest } = mergedOptions(defaults, section.blocks)
  const pieces = section.blocks.flatMap((block) => readPieces(block, asChannel(block.channel ?? channel)))
  const logs = section.blocks.filter((block) => block.kind === 'events')
  const [log] = logs
  if (log === undefined || logs.length > 1) throw new Error('exactly one events block')
  // null takes a default back, so that a section can be without what the file declares.
  const given = Object.entries(rest).filter(([, value]) => value !== null)
  const declared = tools === undefined || tools === null ? {} : { tools: expandTools(tools) }
  return {
    title: section.title,
    options: asOptions({ ...Object.fromEntries(given), ...declared }),
    reason: asReason(end),
    pieces,
    log: log.lines.join('\n'),
    logLines: { from: log.from, to: log.from + log.lines.length },
  }
}

function readPieces(block: Block, channel: Channel): Piece[] {
  if (block.kind === 'input') return [{ text: block.lines.join('\n'), channel }]
  if (block.kind === 'chunks') return block.lines.map((line) => ({ text: unescaped(line), channel }))
  return []
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' }

/** In a line of a chunks block: `\n`, `\r`, `\t`, `\\` and `\uXXXX`. Anything else after a backslash is a mistake. */
function unescaped(line: string): string {
  return line.replaceAll(/\\(u[0-9a-fA-F]{4}|.?)/gs, (escape, code: string) => {
    const plain = code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : escapes[code]
    if (plain === undefined) throw new Error(`chunks: no escape ${escape} in ${JSON.stringify(line)}`)
    return plain
  })
}

const optionKeys: ReadonlySet<string> = new Set<keyof Options>([
  'format',
  'model',
  'tools',
  'promptOpensReasoning',
  'promptTail',
  'delivery',
  'calls',
  'limits',
  'markers',
  'toolChoice',
  'parallelToolCalls',
])

function asOptions(settings: Settings): Options {
  if (!areOptions(settings)) throw new Error(`options: only ${[...optionKeys, 'channel', 'end'].join(', ')}`)
  return settings
}

/** Names only: a wrong value is for the parser to refuse. */
function areOptions(settings: Settings): settings is Settings & Options {
  return Object.keys(settings).every((key) => optionKeys.has(key))
}

function asChannel(channel: unknown): Channel {
  if (channel === 'content' || channel === 'reasoning') return channel
  throw new Error(`No channel ${JSON.stringify(channel)}`)
}

function asReason(reason: unknown): EndReason | undefined {
  if (reason === undefined || reason === null) return undefined
  if (reason === 'stop' || reason === 'length' || reason === 'tool_calls' || reason === 'error') return reason
  throw new Error(`No end reason ${JSON.stringify(reason)}`)
}
