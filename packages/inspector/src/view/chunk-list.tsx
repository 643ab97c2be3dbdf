import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { StageChunk } from '../api.ts'
import { duration } from '../model/numbers.ts'
import { ShownText } from './shown-text.tsx'
import { VirtualList } from './virtual-list.tsx'

interface ChunkListProps {
  readonly chunks: readonly StageChunk[]
  readonly label: string
  /** The chunk that is pointed at. */
  readonly chosen: number | null
}

const ROW_HEIGHT = 21
const LONGEST_ROW = 2000

/** The bytes of a stage as they went over the wire, with the time of each chunk. */
export function ChunkList({ chunks, label, chosen }: ChunkListProps): JSX.Element {
  const rows = useMemo(
    () =>
      chunks.flatMap(({ text, at }, chunk) =>
        text
          .replace(/\n+$/, '')
          .split('\n')
          .map((line, index) => ({ chunk, at: index === 0 ? at : null, line })),
      ),
    [chunks],
  )
  const seen = chosen === null ? -1 : rows.findIndex(({ chunk }) => chunk === chosen)
  return (
    <VirtualList
      class="chunks"
      label={label}
      count={rows.length}
      rowHeight={ROW_HEIGHT}
      seen={seen < 0 ? null : seen}
      row={(index) => {
        const row = rows[index]
        if (row === undefined) return null
        return (
          <div
            key={index}
            class={`chunk-row${row.chunk === chosen ? ' is-focused' : ''}${row.chunk % 2 === 0 ? '' : ' is-odd'}`}
          >
            <span class="chunk-time">{row.at === null ? '' : duration(row.at)}</span>
            <span class="chunk-text">
              <ShownText text={row.line.slice(0, LONGEST_ROW)} />
            </span>
          </div>
        )
      }}
    />
  )
}
