import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { latest } from '../reading/ask.ts'
import type { Input, Reading } from '../reading/protocol.ts'
import { ReadingView, useFocus } from './reading-view.tsx'
import { SettingsBar } from './settings-bar.tsx'

interface ReadAsProps {
  readonly input: Input
  readonly before: Reading
}

/** The same answer read in another way, beside what the gateway made of it. Computed here; nobody is asked. */
export function ReadAs({ input, before }: ReadAsProps): JSX.Element {
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
  useEffect(() => read({ input: { ...input, settings: settings.value }, cut: null }), [settings.value, input])
  const isSame = JSON.stringify(before.trace.events) === JSON.stringify(after.value.trace.events)
  return (
    <div class="read-as">
      <section class="panel" aria-label="How it is read">
        <SettingsBar settings={settings.value} onChange={(next) => (settings.value = next)} />
        <output class="hint read-as-said" aria-live="polite">
          {fault.value ?? (isSame ? 'The same events as before.' : 'Other events than before.')}
        </output>
      </section>
      <ReadingView reading={before} focus={focusBefore} title="As the gateway read it" />
      <ReadingView reading={after.value} focus={focusAfter} title="Read in this way" />
    </div>
  )
}
