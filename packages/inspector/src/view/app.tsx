import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import icon from '../icon.svg'
import { ExchangesPage } from './exchanges-page.tsx'
import { WorkbenchPage } from './workbench-page.tsx'
import { gateway } from '../model/gateway.ts'

type Route = { readonly page: 'exchanges'; readonly id: string | null } | { readonly page: 'workbench' }

/** Both pages. The fragment says which: a folder on any server can serve it. */
export function App(): JSX.Element {
  const route = useSignal(routeOf(location.hash))
  useEffect(() => {
    const follow = (): void => {
      route.value = routeOf(location.hash)
    }
    addEventListener('hashchange', follow)
    void gateway.connect().then((isThere) => {
      // Without a gateway there are no exchanges to look at.
      if (!isThere && location.hash === '') location.replace('#/workbench')
    })
    return () => removeEventListener('hashchange', follow)
  }, [])
  const { page } = route.value
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <span class="brand">
          <img src={icon} alt="" width="20" height="20" /> Dragoman <span class="brand-what">inspector</span>
        </span>
        <nav aria-label="Pages">
          <a href="#/exchanges" aria-current={page === 'exchanges' ? 'page' : undefined}>
            Exchanges
          </a>
          <a href="#/workbench" aria-current={page === 'workbench' ? 'page' : undefined}>
            Workbench
          </a>
        </nav>
        <span class="spacer" />
        <GatewayStatus />
      </header>
      <div id="content" tabIndex={-1}>
        {route.value.page === 'workbench' ? <WorkbenchPage /> : <ExchangesPage id={route.value.id} />}
      </div>
    </>
  )
}

const stateNames = {
  connecting: 'connecting',
  live: 'live',
  lost: 'no answer',
  locked: 'locked',
  none: 'no gateway',
} as const

/** Which gateway it is, and whether it is there. */
function GatewayStatus(): JSX.Element {
  const status = gateway.status.value
  const state = gateway.state.value
  const isFolder = gateway.isFolder && state === 'live'
  return (
    <span class={`hint top-status is-${state}`}>
      <span class="dot" aria-hidden="true" />
      {isFolder ? 'recordings' : stateNames[state]}
      {status === null
        ? null
        : [status.instance, `dragoman ${status.version}`]
            .filter((part) => part !== null)
            .map((part) => ` · ${part}`)}
    </span>
  )
}

function routeOf(hash: string): Route {
  if (hash.startsWith('#/workbench')) return { page: 'workbench' }
  const id = /^#\/exchanges\/(.+)$/.exec(hash)?.[1]
  return { page: 'exchanges', id: id === undefined ? null : unescaped(id) }
}

/** An address that was cut, or typed, may end inside an escape. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
