import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { gateway, messageOf } from '../model/gateway.ts'

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
      fault.value = messageOf(error)
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
      <h2>Enter a key to see exchanges</h2>
      <p class="hint">
        It needs <code>inspector: true</code> in the configuration of the gateway. It is sent once; the
        session ends after eight hours.
      </p>
      <label class="field">
        <span>Key</span>
        <input
          ref={(input) => input?.focus()}
          type="password"
          autocomplete="current-password"
          value={key.value}
          onInput={(event) => (key.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={key.value === ''}>
        Open
      </button>
      {fault.value === null ? null : (
        <p class="fault" role="alert">
          {fault.value}
        </p>
      )}
    </form>
  )
}
