/**
 * Cuts a text into rows of one height, so that of a long text only what is seen has to be drawn. A row ends behind a line
 * break, or where so many columns are full. Returns where each row begins.
 */
export function rowStarts(text: string, columns: number): number[] {
  const starts = [0]
  let used = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const width = widthOf(code)
    if (used + width > columns && used > 0 && !isLowSurrogate(code)) {
      starts.push(at)
      used = 0
    }
    used += width
    if (code === 10) {
      starts.push(at + 1)
      used = 0
    }
  }
  return starts
}

/** Rows of a text that came in chunks. They count in all chunks joined. */
export interface ChunkRows {
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** The chunk of each row. */
  readonly chunks: readonly number[]
}

/** What is longer is not measured: a row is a line then, however wide. */
const LONGEST_MEASURED = 3_000_000

/**
 * Every chunk begins a row. Blank lines, which only part events, are left out. `columns`: how many fit into a row; null for
 * a row a line, without those that only name the event in the line below.
 */
export function chunkRows(texts: readonly string[], columns: number | null): ChunkRows {
  const rows = { starts: [] as number[], ends: [] as number[], chunks: [] as number[] }
  const isLong = texts.reduce((sum, { length }) => sum + length, 0) > LONGEST_MEASURED
  let start = 0
  for (const [chunk, text] of texts.entries()) {
    const inside = columns === null || isLong ? lineStarts(text) : rowStarts(text, columns)
    for (const [index, from] of inside.entries()) {
      const to = inside[index + 1] ?? text.length
      const isBlank = from === to || (to === from + 1 && text[from] === '\n')
      if (isBlank || (columns === null && text.startsWith('event:', from))) continue
      rows.starts.push(start + from)
      rows.ends.push(start + to)
      rows.chunks.push(chunk)
    }
    start += text.length
  }
  return rows
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** About as wide as it is drawn: Chinese, Japanese and Korean take two columns, signs for hidden characters four. */
function widthOf(code: number): number {
  if (code >= 32 && code < 127) return 1
  if (code === 10) return 0
  if (code === 9) return 4
  if (code < 160) return 5
  if (isLowSurrogate(code)) return 0
  if (code >= 0xd800 && code <= 0xdbff) return 2
  const isWide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60)
  if (isWide) return 2
  return code >= 0x2000 && code <= 0x206f ? 5 : 1
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** The last of the sorted starts that is not behind `at`. */
export function indexAt(starts: readonly number[], at: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}
