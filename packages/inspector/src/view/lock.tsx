import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { gateway } from '../model/gateway.ts'

/** Asks for the key of the inspector. It is sent once, and not kept in the page. */
export function Lock(): JSX.Element {
  const key = useSignal('')
  const fault = useSignal<string | null>(null)
  const unlock = async (): Promise<void> => {
    const given = key.value
    key.value = ''
    try {
      fault.value = await gateway.unlock(given)
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error)
    }
  }
  return (
    <form
      class="lock panel"
      onSubmit={(event) => {
        event.preventDefault()
        void unlock()
      }}
    >
      <h2>This gateway wants a key</h2>
      <p class="hint">
        One that is allowed to look at exchanges. It is sent once, and a session begins that ends by itself.
      </p>
      <label class="field">
        <span>Key</span>
        <input
          type="password"
          autocomplete="current-password"
          value={key.value}
          onInput={(event) => (key.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={key.value === ''}>
        Look
      </button>
      {fault.value === null ? null : (
        <p class="fault" role="alert">
          {fault.value}
        </p>
      )}
    </form>
  )
}
