import type { JSX } from 'preact'
import type { OutputTrace } from '../reading/protocol.ts'
import { counted, exact } from '../model/numbers.ts'
import { Held } from './held.tsx'

interface CutSliderProps {
  readonly length: number
  readonly cut: number | null
  readonly text: string
  readonly held: OutputTrace['held']
  readonly onCut: (cut: number | null) => void
}

/** Lets the text come character by character, and tells what is held and why. */
export function CutSlider({ length, cut, text, held, onCut }: CutSliderProps): JSX.Element {
  const at = Math.min(cut ?? length, length)
  const set = (next: number): void => onCut(Math.max(0, Math.min(length, next)))
  return (
    <div class="cut">
      <div class="cut-line">
        <button type="button" aria-label="One character back" disabled={at === 0} onClick={() => set(at - 1)}>
          ‹
        </button>
        <input
          type="range"
          aria-label="How much of the text has come"
          min={0}
          max={length}
          value={at}
          onInput={(event) => set(Number(event.currentTarget.value))}
        />
        <button
          type="button"
          aria-label="One character on"
          disabled={at === length}
          onClick={() => set(at + 1)}
        >
          ›
        </button>
        <button type="button" disabled={cut === null} onClick={() => onCut(null)}>
          End
        </button>
      </div>
      <output class="cut-said" aria-live="polite">
        {cut === null ? (
          <span class="hint">All {counted(length, 'character')}. Slide to let them come one by one.</span>
        ) : (
          <>
            <span class="hint">
              {exact(at)} of {exact(length)} ·{' '}
            </span>
            <Held held={held} text={text} />
          </>
        )}
      </output>
    </div>
  )
}
