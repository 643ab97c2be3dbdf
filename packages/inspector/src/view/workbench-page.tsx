import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { asCase, asGolden, copy, download } from '../model/keep.ts'
import {
  emptyInput,
  followLink,
  inputOf,
  linkTo,
  startWorkbench,
  usualSettings,
  workbench,
} from '../model/workbench.ts'
import { ask } from '../reading/ask.ts'
import type { ChunkingReport, Input, Reading } from '../reading/protocol.ts'
import { counted, exact } from '../model/numbers.ts'
import { CutSlider } from './cut-slider.tsx'
import { kinds } from './kinds.ts'
import { ReadingView, useFocus } from './reading-view.tsx'
import { SettingsBar, useFormats } from './settings-bar.tsx'

/** Any text, read at once: nothing leaves the browser. */
export function WorkbenchPage(): JSX.Element {
  const { state, reading, fault, isUnlinked } = workbench
  const focus = useFocus()
  const isOver = useSignal(false)
  useEffect(() => {
    const stop = startWorkbench()
    const follow = (): void => void followLink(location.hash)
    follow()
    addEventListener('hashchange', follow)
    return () => {
      stop()
      removeEventListener('hashchange', follow)
    }
  }, [])

  const { input, cut } = state.value
  const read = reading.value
  const source = typeof input.source === 'string' ? input.source : input.source.join('')
  const setInput = (next: Input): void => {
    focus.chosen.value = null
    state.value = { input: next, cut: null }
  }
  const take = async (file: File | undefined): Promise<void> => {
    isOver.value = false
    if (file !== undefined) setInput(inputOf(await file.text(), input.settings))
  }

  return (
    <main
      class={`workbench${isOver.value ? ' is-over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        void take(event.dataTransfer?.files[0])
      }}
    >
      <h1 class="visually-hidden">Workbench</h1>
      <section class="panel workbench-input" aria-label="Input">
        <header class="panel-head">
          <h2>Input</h2>
          <span class="hint spacer">{read === null || source === '' ? '' : whatItIs(read)}</span>
          <label class="button">
            Open…
            <input
              class="visually-hidden"
              type="file"
              onChange={({ currentTarget }) => {
                void take(currentTarget.files?.[0])
                // Otherwise to choose the same file again would be no change.
                currentTarget.value = ''
              }}
            />
          </label>
          <button type="button" onClick={() => setInput(emptyInput)} disabled={source === ''}>
            Clear
          </button>
        </header>
        <textarea
          class="input-text"
          aria-label="What the model wrote, or the stream it came in"
          placeholder="Paste what a model wrote, or the event stream of a server. Or drop a recording here."
          spellcheck={false}
          value={source}
          onInput={(event) => setInput({ ...input, source: event.currentTarget.value })}
          onPaste={(event) => {
            const text = event.clipboardData?.getData('text') ?? ''
            if (source !== '' || !text.includes('"dragomanRecording"')) return
            event.preventDefault()
            setInput(inputOf(text, input.settings))
          }}
        />
        <SettingsBar
          settings={input.settings}
          onChange={(settings) => (state.value = { ...state.value, input: { ...input, settings } })}
        >
          <label class="check">
            <input
              type="checkbox"
              checked={input.as === 'text'}
              onChange={(event) => setInput({ ...input, as: event.currentTarget.checked ? 'text' : 'auto' })}
            />
            take it as plain text
          </label>
        </SettingsBar>
        {fault.value === null ? null : (
          <p class="fault" role="alert">
            {fault.value}
          </p>
        )}
      </section>
      {source === '' || read === null ? (
        <Welcome onChoose={setInput} />
      ) : (
        <ReadingView reading={read} focus={focus} title="What the model wrote">
          <CutSlider
            length={read.text.length}
            cut={cut}
            held={read.trace.held}
            text={read.text}
            onCut={(next) => (state.value = { input, cut: next })}
          />
          <Actions input={input} reading={read} isWhole={cut === null} isUnlinked={isUnlinked.value} />
        </ReadingView>
      )}
    </main>
  )
}

function whatItIs({ is, text, pieces }: Reading): string {
  const channels = new Set(pieces.map(({ channel }) => channel))
  const size = counted(text.length, 'character')
  return is === 'text' ? size : `${is}, ${size}${channels.size > 1 ? ' in two channels' : ''}`
}

interface ActionsProps {
  readonly input: Input
  readonly reading: Reading
  readonly isWhole: boolean
  readonly isUnlinked: boolean
}

function Actions({ input, reading, isWhole, isUnlinked }: ActionsProps): JSX.Element {
  const report = useSignal<ChunkingReport | 'running' | null>(null)
  const copied = useSignal(false)
  useEffect(() => {
    report.value = null
    copied.value = false
  }, [input])
  const prove = async (): Promise<void> => {
    report.value = 'running'
    report.value = await ask('chunkings', input)
  }
  const copyLink = async (): Promise<void> => {
    const link = await linkTo({ input, cut: workbench.state.peek().cut })
    await copy(new URL(link ?? '#/workbench', location.href).href)
    copied.value = true
  }
  return (
    <div class="actions">
      <output class="hint" aria-live="polite">
        {reportText(report.value)}
      </output>
      <button type="button" disabled={report.value === 'running'} onClick={() => void prove()}>
        Try every chunking
      </button>
      <div class="actions-group">
        <button type="button" disabled={isUnlinked} onClick={() => void copyLink()}>
          {copied.value ? 'Copied' : 'Copy link'}
        </button>
        <button
          type="button"
          disabled={!isWhole}
          onClick={() =>
            download('case.md', asGolden('A case from the workbench', input, reading), 'text/markdown')
          }
        >
          Make a test
        </button>
        <button
          type="button"
          disabled={!isWhole}
          onClick={() => download('case.json', asCase('workbench', input, reading), 'application/json')}
        >
          JSON case
        </button>
        {isUnlinked ? <span class="hint">Too long for a link.</span> : null}
      </div>
    </div>
  )
}

function reportText(report: ChunkingReport | 'running' | null): string {
  if (report === null) return 'A network may cut the text anywhere. Is the result always the same?'
  if (report === 'running') return 'Trying…'
  const { tried, difference } = report
  if (difference !== null) return `Another result when cut ${difference}. That is a bug in Dragoman.`
  return `${exact(tried)} ways to cut it, one result.`
}

/** What may be tried where nothing was pasted yet. */
function Welcome({ onChoose }: { readonly onChoose: (input: Input) => void }): JSX.Element {
  const formats = useFormats().filter(({ sample }) => sample !== '')
  const tools = '{"get_weather": {"city": "string", "days": "integer"}}'
  return (
    <section class="panel welcome" aria-label="Samples">
      <h2>Read what a model wrote</h2>
      <p>
        Paste it as text or as a stream. Every character takes the colour of what it became, and events, calls
        and problems stand beside it. Nothing leaves this browser.
      </p>
      <p class="hint">Or begin with what one of these families writes:</p>
      <div class="samples">
        {formats.map(({ id, sample }) => (
          <button
            key={id}
            type="button"
            onClick={() =>
              onChoose({
                source: `Let me look.\n${sample}`.replace(/^Let me look\.\n(?=to=|\[|>>>|functools)/, ''),
                as: 'auto',
                settings: { ...usualSettings, format: id, tools },
              })
            }
          >
            {id}
          </button>
        ))}
      </div>
      <h3>What the colours mean</h3>
      <dl class="meanings">
        {kinds.map(({ id, name, means }) => (
          <div key={id}>
            <dt>
              <span class={`k k-${id}`}>{name}</span>
            </dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
