import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { counted, exact } from '../model/numbers.ts'
import { latest } from '../reading/ask.ts'
import type { Input, Reading } from '../reading/protocol.ts'
import { ReadingView, useFocus } from './reading-view.tsx'
import { SettingsBar } from './settings-bar.tsx'

interface ReadAsProps {
  readonly input: Input
  readonly before: Reading
  /** Whether the upstream has said all that it will. */
  readonly isEnded: boolean
}

/** The same answer read in another way, beside what the gateway made of it. Computed here; nobody is asked. */
export function ReadAs({ input, before, isEnded }: ReadAsProps): JSX.Element {
  const settings = useSignal(input.settings)
  const after = useSignal<Reading>(before)
  const fault = useSignal<string | null>(null)
  const focusBefore = useFocus()
  const focusAfter = useFocus()
  const read = useMemo(
    () =>
      latest(
        'read',
        (reading) => {
          after.value = reading
          fault.value = null
        },
        (error) => (fault.value = error.message),
      ),
    [],
  )
  const cut = isEnded ? null : Number.POSITIVE_INFINITY
  useEffect(() => read({ input: { ...input, settings: settings.value }, cut }), [settings.value, input, cut])
  const told = useMemo(() => comparison(before.trace.events, after.value.trace.events), [before, after.value])
  return (
    <div class="read-as">
      <section class="panel" aria-label="How it is read">
        <SettingsBar settings={settings.value} onChange={(next) => (settings.value = next)} />
        <output class="read-as-said" aria-live="polite">
          {fault.value ?? told}
        </output>
      </section>
      <ReadingView reading={before} focus={focusBefore} title="As the gateway read it" />
      <ReadingView reading={after.value} focus={focusAfter} title="Read in this way" />
    </div>
  )
}

type Events = Reading['trace']['events']

/** How another reading differs, in what one cares about first. */
function comparison(before: Events, after: Events): string {
  if (JSON.stringify(before) === JSON.stringify(after)) return 'The same events as before.'
  const counts = [
    compared(callsIn(before), callsIn(after), 'call'),
    compared(lengthOf(before, 'text'), lengthOf(after, 'text'), 'character', 'of text'),
    compared(lengthOf(before, 'reasoning'), lengthOf(after, 'reasoning'), 'character', 'of reasoning'),
    compared(numberOf(before, 'problem'), numberOf(after, 'problem'), 'problem'),
    compared(numberOf(before, 'repair'), numberOf(after, 'repair'), 'repair'),
  ].filter((part) => part !== null)
  return `Other events than before${counts.length === 0 ? '.' : `: ${counts.join(', ')}.`}`
}

function compared(before: number, after: number, what: string, of = ''): string | null {
  if (before === after) return null
  return `${[counted(after, what), of].join(' ').trim()} in place of ${exact(before)}`
}

function callsIn(events: Events): number {
  return events.filter((event) => event.type === 'call-end' && event.complete).length
}

function numberOf(events: Events, type: Events[number]['type']): number {
  return events.filter((event) => event.type === type).length
}

function lengthOf(events: Events, type: 'text' | 'reasoning'): number {
  return events.reduce((sum, event) => (event.type === type ? sum + event.text.length : sum), 0)
}
