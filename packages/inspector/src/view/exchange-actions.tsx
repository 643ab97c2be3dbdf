import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { api } from '../api.ts'
import { gateway, messageOf } from '../model/gateway.ts'
import { asCase, asCurl, asGolden, copy, download } from '../model/keep.ts'
import { type LoadedExchange, textOf } from '../model/loaded-exchange.ts'
import { workbench } from '../model/workbench.ts'

/** What can be done with an exchange. Only `Ask again` asks anybody, and only when it is pressed. */
export function ExchangeActions({ details, stages, input, said, isEnded }: LoadedExchange): JSX.Element {
  const { summary } = details
  const mayAsk = gateway.status.value?.mayAskAgain === true
  const told = useSignal('')
  const copyCommand = async (): Promise<void> => {
    // Who shows recordings takes no requests: they are for a gateway at its usual address.
    const { isFolder } = gateway
    const origin = isFolder ? 'http://127.0.0.1:12377' : location.origin
    await copy(asCurl(details, origin, textOf(stages['client-request'])))
    told.value = `Copied, without a key${isFolder ? ', for a gateway on port 12377' : ''}.`
  }
  const again = async (): Promise<void> => {
    told.value = 'Asking…'
    try {
      location.hash = `#/exchanges/${encodeURIComponent(await gateway.askAgain(summary.id))}`
    } catch (error) {
      told.value = messageOf(error)
    }
  }
  const take = (): void => {
    const source = typeof input.source === 'string' ? input.source : input.source.join('')
    workbench.state.value = { input: { ...input, source }, cut: null }
    location.hash = '#/workbench'
  }
  return (
    <div class="actions">
      <output class="hint" aria-live="polite">
        {told.value}
      </output>
      <button type="button" onClick={() => void copyCommand()}>
        Copy as curl
      </button>
      <a class="button" href={api.recording(summary.id)} download={`${summary.id}.json`}>
        Download
      </a>
      <button type="button" onClick={take}>
        Open in the workbench
      </button>
      <span class="joined">
        <button
          type="button"
          title="Downloads the answer and the events that must come of it, as Markdown"
          // They are those of a whole answer.
          disabled={!isEnded}
          onClick={() =>
            download(`${summary.id}.md`, asGolden(`From ${summary.id}`, input, said), 'text/markdown')
          }
        >
          Make a test
        </button>
        <button
          type="button"
          title="Downloads the same as JSON"
          aria-label="Make a test in JSON"
          disabled={!isEnded}
          onClick={() =>
            download(`${summary.id}.case.json`, asCase(summary.id, input, said), 'application/json')
          }
        >
          JSON
        </button>
      </span>
      <button
        type="button"
        class="primary"
        disabled={!mayAsk}
        title={mayAsk ? 'Sends the recorded request through the gateway anew' : 'No gateway is here to ask'}
        onClick={() => void again()}
      >
        Ask again
      </button>
    </div>
  )
}
