import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { api, type ExchangeDetails, type StageChunk, stageIds, type StageId } from '../api.ts'
import { gateway } from '../model/gateway.ts'
import { isRecord, parsed } from '../model/json.ts'
import { asCurl, asGolden, download } from '../model/keep.ts'
import { clock, counted, duration } from '../model/numbers.ts'
import { oneLine } from '../model/visible.ts'
import { indexAt } from '../model/rows.ts'
import { chunkAfter } from '../model/waterfall.ts'
import { settingsOf, usualSettings, workbench } from '../model/workbench.ts'
import { ask } from '../reading/ask.ts'
import type { Input, Reading } from '../reading/protocol.ts'
import { ChunkList } from './chunk-list.tsx'
import { JsonView } from './json-view.tsx'
import { Marks } from './marks.tsx'
import { ReadingView, useFocus } from './reading-view.tsx'
import { ReadAs } from './read-as.tsx'
import { ShownText } from './shown-text.tsx'
import { Tabs } from './tabs.tsx'
import { Timeline } from './timeline.tsx'

type Stages = Readonly<Record<StageId, readonly StageChunk[]>>

interface Loaded {
  readonly details: ExchangeDetails
  readonly stages: Stages
  /** Whether all of each stage was loaded. */
  readonly isWhole: boolean
  readonly input: Input
  readonly reading: Reading
  /** What the client got, as it would read it itself. */
  readonly got: Reading
}

type Tab = 'asked' | 'answered' | 'timeline' | 'read-as'

/** One exchange through its four stages. */
export function ExchangeView({ id }: { readonly id: string }): JSX.Element {
  const loaded = useSignal<Loaded | null>(null)
  const fault = useSignal<string | null>(null)
  const tab = useSignal<Tab>('answered')
  const state = gateway.exchanges.value.find((each) => each.id === id)?.state
  useEffect(() => {
    let isLeft = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async (): Promise<void> => {
      try {
        const value = await load(id)
        if (isLeft) return
        loaded.value = value
        // There is more to see as long as it runs.
        if (value.details.summary.state === 'running') timer = setTimeout(() => void look(), 1500)
      } catch (error) {
        if (!isLeft) fault.value = error instanceof Error ? error.message : String(error)
      }
    }
    void look()
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [id, state])

  const value = loaded.value
  return (
    <main class="exchange">
      <p class="crumbs">
        <a href="#/exchanges">Exchanges</a> <span aria-hidden="true">/</span> <code>{oneLine(id, 60)}</code>
      </p>
      {fault.value === null ? null : (
        <p class="fault" role="alert">
          {fault.value}
        </p>
      )}
      {value === null && fault.value === null ? (
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
            <Actions {...value} />
          </div>
          <div class={`stage-body is-${tab.value}`} role="tabpanel" aria-label={tab.value}>
            <Stage tab={tab.value} {...value} />
          </div>
        </>
      )}
    </main>
  )
}

function Stage({ tab, details, stages, input, reading, got }: Loaded & { readonly tab: Tab }): JSX.Element {
  switch (tab) {
    case 'asked':
      return <Asked details={details} stages={stages} />
    case 'answered':
      return <Answered stages={stages} reading={reading} details={details} />
    case 'timeline':
      return (
        <Timeline
          summary={details.summary}
          upstream={stages['upstream-response']}
          client={stages['client-response']}
          said={reading}
          got={got}
        />
      )
    case 'read-as':
      return <ReadAs input={input} before={reading} />
  }
}

function Asked({ details, stages }: Pick<Loaded, 'details' | 'stages'>): JSX.Element {
  const asked = textOf(stages['client-request'])
  const sent = textOf(stages['upstream-request'])
  const { client, upstream } = details
  return (
    <>
      <JsonView
        title={`Client asked (${client.dialect})`}
        text={asked}
        other={sent}
        notes={details.notes}
        side="before"
      />
      <JsonView
        title={upstream === null ? 'No upstream was asked' : `Upstream was asked (${upstream.dialect})`}
        text={sent}
        other={asked}
        notes={none}
        side="after"
      />
    </>
  )
}

const none: readonly never[] = []

function Answered({ stages, reading, details }: Pick<Loaded, 'stages' | 'reading' | 'details'>): JSX.Element {
  const focus = useFocus()
  const said = stages['upstream-response']
  const got = stages['client-response']
  const starts = useMemo(() => reading.arrivals.map(({ from }) => from), [reading])
  const event = focus.chosen.value ?? focus.hovered.value
  const place = event === null ? undefined : reading.trace.places[event]
  const arrival = place === undefined ? undefined : reading.arrivals[indexAt(starts, place.from)]
  const at = arrival === undefined ? null : (said[arrival.chunk]?.at ?? null)
  return (
    <>
      <ReadingView reading={reading} focus={focus} title="Upstream said">
        {details.told.length === 0 ? null : (
          <details class="told">
            <summary>What the gateway said of this answer ({details.told.length})</summary>
            <ul>
              {details.told.map(({ kind, code, message }, index) => (
                <li key={index}>
                  <span class={`badge badge-${kind}`}>{code}</span> <ShownText text={message} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </ReadingView>
      <section class="panel got" aria-label="Client got">
        <header class="panel-head">
          <h2>Client got</h2>
          <span class="hint">
            {details.client.dialect} · status {details.summary.status ?? '–'} · {counted(got.length, 'chunk')}
          </span>
        </header>
        {got.length === 0 ? (
          <p class="empty">Nothing yet.</p>
        ) : (
          <ChunkList
            chunks={got}
            label="What the client got, as it was sent"
            chosen={at === null ? null : chunkAfter(got, at)}
          />
        )}
      </section>
    </>
  )
}

function Actions({ details, stages, input, reading }: Loaded): JSX.Element {
  const { summary } = details
  const said = useSignal('')
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(asCurl(details, location.origin, textOf(stages['client-request'])))
    said.value = 'The command is on the clipboard. It has no key in it.'
  }
  const again = async (): Promise<void> => {
    said.value = 'Asking…'
    try {
      location.hash = `#/exchanges/${encodeURIComponent(await gateway.askAgain(summary.id))}`
    } catch (error) {
      said.value = error instanceof Error ? error.message : String(error)
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
        {said.value}
      </output>
      <button type="button" onClick={() => void copy()}>
        Copy as curl
      </button>
      <a class="button" href={api.recording(summary.id)} download={`${summary.id}.json`}>
        Download
      </a>
      <button type="button" onClick={take}>
        Open in the workbench
      </button>
      <button
        type="button"
        onClick={() =>
          download(`${summary.id}.md`, asGolden(`From ${summary.id}`, input, reading), 'text/markdown')
        }
      >
        Make a test
      </button>
      <button
        type="button"
        disabled={gateway.status.value?.mayAskAgain !== true}
        onClick={() => void again()}
      >
        Ask again
      </button>
    </div>
  )
}

function Head({ details }: Pick<Loaded, 'details'>): JSX.Element {
  const { summary, upstream } = details
  return (
    <header class="exchange-summary">
      <div>
        <h1>
          {oneLine(summary.model, 80)}
          {upstream === null ? null : (
            <span class="hint"> → {oneLine(`${upstream.model} at ${upstream.name}`, 120)}</span>
          )}
        </h1>
        <p class="hint">
          {[
            clock(summary.time),
            summary.client,
            summary.format === null
              ? null
              : `${summary.format}, told by the ${summary.formatFrom ?? 'stream'}`,
            `first byte ${duration(summary.firstByteMs)}`,
            summary.state === 'running' ? 'running' : duration(summary.durationMs),
            `${summary.inputTokens ?? '–'} tokens in, ${summary.outputTokens ?? '–'} out`,
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

async function load(id: string): Promise<Loaded> {
  const [details, ...texts] = await Promise.all([
    gateway.details(id),
    ...stageIds.map((stage) => gateway.stage(id, stage)),
  ])
  const [asked = [], sent = [], said = [], got = []] = texts.map(({ chunks }) => chunks)
  const isWhole = texts.every((stage) => stage.isWhole)
  const stages: Stages = {
    'client-request': asked,
    'upstream-request': sent,
    'upstream-response': said,
    'client-response': got,
  }
  const request = parsed(textOf(sent))
  const settings = settingsOf(details.upstream?.reading, isRecord(request) ? request['tools'] : undefined)
  const input: Input = { source: said.map(({ text }) => text), as: 'auto', settings }
  const clientInput: Input = { source: got.map(({ text }) => text), as: 'auto', settings: structured }
  const [reading, gotReading] = await Promise.all([
    ask('read', { input, cut: null }),
    ask('read', { input: clientInput, cut: null }),
  ])
  return { details, stages, isWhole, input, reading, got: gotReading }
}

/** A client takes text for text: calls come to it structured. */
const structured = { ...usualSettings, format: 'standard' }

function textOf(chunks: readonly StageChunk[]): string {
  return chunks.map(({ text }) => text).join('')
}
