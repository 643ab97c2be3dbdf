import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { toldBy } from '../model/format-source.ts'
import { gateway, messageOf } from '../model/gateway.ts'
import { type LoadedExchange, loadExchange, textOf } from '../model/loaded-exchange.ts'
import { count, duration, moment } from '../model/numbers.ts'
import { oneLine } from '../model/visible.ts'
import { Answered, Told } from './answered.tsx'
import { ExchangeActions } from './exchange-actions.tsx'
import { JsonView } from './json-view.tsx'
import { Lost } from './list-state.tsx'
import { Marks } from './marks.tsx'
import { ReadAs } from './read-as.tsx'
import { ShownText } from './shown-text.tsx'
import { Tabs } from './tabs.tsx'
import { Timeline } from './timeline.tsx'

type Tab = 'asked' | 'answered' | 'timeline' | 'read-as'

/** While an exchange runs, it is looked at so often; less often where looking takes long. */
const LOOK_MS = 1500
const LOOK_SHARE = 5

/** One exchange through its four stages. */
export function ExchangeView({ id }: { readonly id: string }): JSX.Element {
  const loaded = useSignal<LoadedExchange | null>(null)
  const fault = useSignal<string | null>(null)
  const tab = useSignal<Tab>('answered')
  const state = gateway.exchanges.value.find((each) => each.id === id)?.state
  const isLost = gateway.state.value === 'lost'
  useEffect(() => {
    let isLeft = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async (): Promise<void> => {
      const began = performance.now()
      try {
        const value = await loadExchange(id)
        if (isLeft) return
        loaded.value = value
        fault.value = null
        const pause = Math.max(LOOK_MS, LOOK_SHARE * (performance.now() - began))
        if (value.details.summary.state === 'running') timer = setTimeout(() => void look(), pause)
      } catch (error) {
        if (!isLeft) fault.value = messageOf(error)
      }
    }
    // Of a gateway that is away there is nothing to be had. What was loaded stays.
    if (!isLost) void look()
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [id, state, isLost])

  const value = loaded.value
  return (
    <main class="exchange">
      <p class="crumbs">
        <a href="#/exchanges">Exchanges</a> <span aria-hidden="true">/</span> <code>{oneLine(id, 60)}</code>
      </p>
      <Lost />
      {fault.value === null || isLost ? null : (
        <p class="fault" role="alert">
          {fault.value}
          {value === null ? null : ' What is shown was loaded before.'}
        </p>
      )}
      {value === null && fault.value === null && !isLost ? (
        <p class="empty empty-page" aria-busy="true">
          Loading…
        </p>
      ) : null}
      {value === null ? null : (
        <>
          <Head details={value.details} />
          {value.isWhole ? null : (
            <p class="fault">
              This exchange is too long to be shown whole: here is its beginning. Download has all of it.
            </p>
          )}
          {value.details.keeps === 'outline' ? (
            <>
              <p class="fault">
                Too many exchanges came at once while nobody looked. What was said in this one was not kept.
              </p>
              <Told told={value.details.told} isOpen />
            </>
          ) : (
            <>
              <div class="stages-tabs">
                <Tabs
                  label="Stages"
                  chosen={tab.value}
                  onChoose={(next) => (tab.value = next)}
                  tabs={[
                    { id: 'asked', name: 'Asked' },
                    { id: 'answered', name: 'Answered' },
                    { id: 'timeline', name: 'Timeline' },
                    { id: 'read-as', name: 'Read it as…' },
                  ]}
                />
                <ExchangeActions {...value} />
              </div>
              <div class={`stage-body is-${tab.value}`} role="tabpanel" aria-label={tab.value}>
                <Stage tab={tab.value} {...value} />
              </div>
            </>
          )}
        </>
      )}
    </main>
  )
}

function Stage({ tab, ...loaded }: LoadedExchange & { readonly tab: Tab }): JSX.Element {
  const { details, stages, input, isEnded, said, delivered, saidTexts, gotTexts } = loaded
  switch (tab) {
    case 'asked':
      return <Asked details={details} stages={stages} />
    case 'answered':
      return <Answered stages={stages} said={said} delivered={delivered} details={details} />
    case 'timeline':
      return (
        <Timeline
          summary={details.summary}
          upstream={stages['upstream-response']}
          client={stages['client-response']}
          saidTexts={saidTexts}
          gotTexts={gotTexts}
        />
      )
    case 'read-as':
      return <ReadAs input={input} before={said} isEnded={isEnded} />
  }
}

function Asked({ details, stages }: Pick<LoadedExchange, 'details' | 'stages'>): JSX.Element {
  const asked = textOf(stages['client-request'])
  const sent = textOf(stages['upstream-request'])
  const { client, upstream } = details
  return (
    <>
      <JsonView
        title="Client asked"
        dialect={client.dialect}
        text={asked}
        other={sent}
        notes={details.notes}
        side="before"
      />
      <JsonView
        title={upstream === null ? 'No upstream was asked' : 'Upstream was asked'}
        dialect={upstream?.dialect ?? ''}
        text={sent}
        other={asked}
        notes={none}
        side="after"
      />
    </>
  )
}

const none: readonly never[] = []

function Head({ details }: Pick<LoadedExchange, 'details'>): JSX.Element {
  const { summary, upstream } = details
  return (
    <header class="exchange-summary">
      <div>
        <h1>
          {oneLine(summary.model, 80) || 'No model is known'}
          {upstream === null ? null : (
            <span class="hint">
              {' '}
              {upstream.model === summary.model ? '' : '→ '}
              {oneLine(
                upstream.model === summary.model
                  ? `at ${upstream.name}`
                  : `${upstream.model} at ${upstream.name}`,
                120,
              )}
            </span>
          )}
        </h1>
        <p class="hint">
          {[
            moment(summary.time),
            summary.client,
            summary.format === null
              ? null
              : `format ${summary.format}${summary.formatFrom === null ? '' : `, known by ${toldBy[summary.formatFrom]}`}`,
            summary.firstByteMs === null ? null : `first byte ${duration(summary.firstByteMs)}`,
            summary.state === 'running'
              ? 'running'
              : summary.durationMs === null
                ? null
                : `took ${duration(summary.durationMs)}`,
            summary.inputTokens === null && summary.outputTokens === null
              ? null
              : `${count(summary.inputTokens)} tokens in, ${count(summary.outputTokens)} out`,
            summary.finish === null ? null : `finish ${summary.finish}`,
          ]
            .filter((part) => part !== null)
            .join(' · ')}{' '}
          <Marks exchange={summary} />
        </p>
        {summary.failure === null ? null : (
          <p class="fault">
            <ShownText text={summary.failure} />
          </p>
        )}
      </div>
    </header>
  )
}
