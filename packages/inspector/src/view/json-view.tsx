import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { NoteDetails } from '../api.ts'
import { type JsonLine, jsonLines, notesElsewhere } from '../model/json-diff.ts'
import { parsed } from '../model/json.ts'
import { oneLine } from '../model/visible.ts'
import { counted } from '../model/numbers.ts'
import { BytesView } from './bytes-view.tsx'
import { useFocus } from './reading-view.tsx'
import { ShownText } from './shown-text.tsx'
import { useColumns } from './stretch.tsx'
import { VirtualList } from './virtual-list.tsx'

interface JsonViewProps {
  readonly title: string
  readonly dialect: string
  readonly text: string
  /** The other request, against which fields are marked. */
  readonly other: string
  readonly notes: readonly NoteDetails[]
  /** What the marks mean on this side. */
  readonly side: 'before' | 'after'
}

const ROW_HEIGHT = 21
/** Pixels of a row that a note does not get: padding, and the scroll bar. */
const NOTE_TAKEN = 60
/** Containers with more lines begin folded, unless something differs in them. */
const LARGE = 60

/** A request as folded JSON, with what the other request has otherwise, and the notes at their fields. */
export function JsonView({ title, dialect, text, other, notes, side }: JsonViewProps): JSX.Element {
  const lines = useMemo(() => {
    const value = parsed(text)
    return value === undefined ? [] : jsonLines(value, parsed(other), notes)
  }, [text, other, notes])
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map())
  const isFolded = (line: JsonLine): boolean =>
    folds.get(line.path) ?? (line.path !== '' && line.size > LARGE && line.mark !== 'inside')
  const { frame, columns } = useColumns(NOTE_TAKEN)
  const rows = useMemo(() => rowsOf(lines, notes, isFolded, columns), [lines, folds, columns])
  const focus = useFocus()
  const elsewhere = notesElsewhere(lines, notes)
  return (
    <section class="panel json" aria-label={title} ref={frame}>
      <header class="panel-head">
        <h2>{title}</h2>
        <span class="hint">
          {text === ''
            ? dialect
            : `${dialect} · ${lines.length === 0 ? 'not JSON' : counted(text.length, 'character')}`}
        </span>
        <span class="spacer" />
        <ul class="legend" aria-label="Marks">
          <li class="mark mark-changed">changed</li>
          <li class="mark mark-moved">moved</li>
          <li class={`mark mark-only-${side}`}>{side === 'before' ? 'not sent on' : 'added'}</li>
        </ul>
      </header>
      {elsewhere.length === 0 ? null : (
        <ul class="notes" aria-label="Notes on the whole request">
          {elsewhere.map((note) => (
            <li key={`${note.field} ${note.reason}`}>
              <Note note={note} reason={note.reason} />
            </li>
          ))}
        </ul>
      )}
      {text === '' ? (
        <p class="empty">Nothing was sent.</p>
      ) : lines.length === 0 ? (
        <BytesView
          chunks={[{ at: null, text }]}
          delivered={[]}
          label={title}
          focus={focus}
          event={null}
          shows="all"
        />
      ) : (
        <VirtualList
          class="json-lines"
          label={title}
          count={rows.length}
          rowHeight={ROW_HEIGHT}
          row={(index) => {
            const row = rows[index]
            if (row === undefined) return null
            if ('note' in row) {
              return (
                <div key={index} class="json-line" style={{ paddingLeft: `${row.depth * 16 + 30}px` }}>
                  {row.part === 0 ? (
                    <Note note={row.note} reason={row.text} />
                  ) : (
                    <span class="note">{row.text}</span>
                  )}
                </div>
              )
            }
            return (
              <Line
                key={index}
                line={row.line}
                side={side}
                isFolded={row.isFolded}
                onFold={(isNow) => setFolds(new Map(folds).set(row.line.path, isNow))}
              />
            )
          }}
        />
      )}
    </section>
  )
}

/** `reason`: as much of it as there is room for. */
function Note({ note, reason }: { readonly note: NoteDetails; readonly reason: string }): JSX.Element {
  return (
    <span class="note" title={oneLine(`${note.field}: ${note.reason}`, 1000)}>
      <span class={`badge badge-${note.kind}`}>{note.kind}</span> <code>{note.field}</code> {reason}
    </span>
  )
}

interface LineProps {
  readonly line: JsonLine
  readonly side: 'before' | 'after'
  readonly isFolded: boolean
  readonly onFold: (isFolded: boolean) => void
}

function Line({ line, side, isFolded, onFold }: LineProps): JSX.Element {
  const { depth, key, text, is, mark, size, path, elsewhere } = line
  const marked = mark === 'only-here' ? `only-${side}` : mark
  return (
    <div
      class={`json-line mark-${marked}`}
      style={{ paddingLeft: `${depth * 16 + 22}px` }}
      title={oneLine(path, 200)}
    >
      {is === 'open' ? (
        <button
          type="button"
          class="fold"
          aria-expanded={!isFolded}
          aria-label={`${isFolded ? 'Unfold' : 'Fold'} ${path === '' ? 'all' : path}`}
          onClick={() => onFold(!isFolded)}
        >
          {isFolded ? '▸' : '▾'}
        </button>
      ) : null}
      {key === null ? null : (
        <>
          <span class="json-key">
            <ShownText text={JSON.stringify(key)} />
          </span>
          :{' '}
        </>
      )}
      <span class={`json-value is-${kindOf(text, is)}`}>
        <ShownText text={text.length > 2000 ? `${text.slice(0, 2000)}…` : text} />
      </span>
      {isFolded ? <span class="hint"> … {size - 2} lines</span> : null}
      {elsewhere === undefined ? null : (
        <span class="elsewhere">
          {' '}
          {side === 'before' ? '→' : '←'} {oneLine(elsewhere, 80)}
        </span>
      )}
    </div>
  )
}

function kindOf(text: string, is: JsonLine['is']): string {
  if (is !== 'value') return 'bracket'
  return text.startsWith('"') ? 'string' : /^[-\d]/.test(text) ? 'number' : 'word'
}

type JsonRow =
  | { readonly line: JsonLine; readonly isFolded: boolean }
  | { readonly note: NoteDetails; readonly depth: number; readonly part: number; readonly text: string }

function rowsOf(
  lines: readonly JsonLine[],
  notes: readonly NoteDetails[],
  isFolded: (line: JsonLine) => boolean,
  columns: number,
): JsonRow[] {
  const rows: JsonRow[] = []
  // A note on what happens in many messages is shown at the first of them.
  const open = new Set(notes)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]
    if (line === undefined) break
    const folded = line.is === 'open' && isFolded(line)
    rows.push({ line, isFolded: folded })
    for (const note of line.notes) if (open.delete(note)) rows.push(...noteRows(note, line.depth, columns))
    if (folded) at += line.size - 1
  }
  return rows
}

/** A row has one height, so that a long sentence takes several of them. */
function noteRows(note: NoteDetails, depth: number, columns: number): JsonRow[] {
  const room = Math.max(24, columns - depth * 2)
  const rows: JsonRow[] = []
  let text = ''
  // The badge and the name of the field stand in the first row.
  let left = room - note.kind.length - note.field.length - 3
  for (const word of note.reason.split(' ')) {
    if (text !== '' && text.length + word.length > left) {
      rows.push({ note, depth, part: rows.length, text })
      text = ''
      left = room
    }
    text += `${text === '' ? '' : ' '}${word}`
  }
  rows.push({ note, depth, part: rows.length, text })
  return rows
}
