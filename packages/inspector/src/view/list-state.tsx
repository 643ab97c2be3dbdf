import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ExampleRequest, Status } from '../api.ts'
import { gateway } from '../model/gateway.ts'
import { asCurl, copy } from '../model/keep.ts'

export function NoGateway(): JSX.Element {
  return (
    <div class="empty empty-page">
      <h2>No gateway serves this page</h2>
      <p>
        To see exchanges, open <code>/inspector</code> on a running gateway. The{' '}
        <a href="#/workbench">workbench</a> works without one.
      </p>
    </div>
  )
}

/** What there is to say about the list, apart from its rows. */
export function ListState({
  isEmpty,
  isFiltered,
}: {
  readonly isEmpty: boolean
  readonly isFiltered: boolean
}): JSX.Element | null {
  const state = gateway.state.value
  const fault = gateway.fault.value
  const status = gateway.status.value
  return (
    <>
      <Lost />
      {fault === null ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {status?.instance === null || status === null ? null : (
        <p class="hint list-note">
          Several processes serve here, and each knows its own exchanges. This is {status.instance}: those of
          another may be missing, or cannot be opened.
          {status.shows === 'live' ? ' Recordings, in one folder, are shown by all.' : null}
        </p>
      )}
      {isEmpty && isFiltered ? <p class="empty empty-page">Nothing fits the filter.</p> : null}
      {isEmpty && !isFiltered && fault === null && state !== 'lost' ? (
        <div class="empty empty-page">
          {state === 'connecting' ? <p>Loading…</p> : <Nothing status={status} />}
        </div>
      ) : null}
    </>
  )
}

/** Says that the gateway is away, as long as it is. */
export function Lost(): JSX.Element | null {
  if (gateway.state.value !== 'lost') return null
  return (
    <p class="fault" role="alert">
      The gateway does not answer. What is shown may be old. This page keeps asking.
    </p>
  )
}

function Nothing({ status }: { readonly status: Status | null }): JSX.Element {
  if (gateway.isFolder) {
    return (
      <>
        <h2>No recordings are here</h2>
        <p>
          A gateway writes them with <code>--record</code> and the name of a folder.
        </p>
      </>
    )
  }
  const examples = status?.examples ?? []
  return (
    <>
      <h2>Nothing has gone through yet</h2>
      <p>
        Send a request to this gateway, and it appears here.
        {examples.length === 0 ? null : ' To try it, run one of these in a terminal:'}
      </p>
      {examples.map((example) => (
        <Example key={example.title} example={example} />
      ))}
    </>
  )
}

function Example({ example }: { readonly example: ExampleRequest }): JSX.Element {
  const isCopied = useSignal(false)
  const command = asCurl({ client: example }, location.origin, example.body)
  const copyCommand = async (): Promise<void> => {
    await copy(command)
    isCopied.value = true
  }
  return (
    <section class="example panel" aria-label={example.title}>
      <header class="panel-head">
        <h3>{example.title}</h3>
        <span class="spacer" />
        <button type="button" onClick={() => void copyCommand()}>
          {isCopied.value ? 'Copied' : 'Copy'}
        </button>
      </header>
      <pre tabIndex={0} aria-label="Command">
        {command}
      </pre>
    </section>
  )
}
