import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ask } from '../reading/ask.ts'
import type { Meanings, OutputTrace, Reading } from '../reading/protocol.ts'
import { parsed } from '../model/json.ts'
import { counted, exact } from '../model/numbers.ts'
import { ShownText } from './shown-text.tsx'
import type { Focus } from './stretch.tsx'

interface OutcomeProps {
  readonly reading: Reading
  readonly focus: Focus
}

/** Cards are laid out one by one: the list of events, which is not, has all of them. */
const MOST_SHOWN = 50

interface ReadCall {
  /** Its first event, and its last. */
  readonly event: number
  readonly last: number
  readonly id: string | null
  readonly name: string
  readonly json: string
  readonly state: 'open' | 'complete' | 'not complete'
}

/** The calls that came of it, and what there is to say about them. */
export function Outcome({ reading, focus }: OutcomeProps): JSX.Element {
  const { trace, wireCalls, isEnded } = reading
  const calls = useMemo(() => callsOf(trace), [trace])
  const said = useMemo(
    () =>
      trace.events.flatMap((event, index) =>
        event.type === 'problem' || event.type === 'repair' ? [{ event, index }] : [],
      ),
    [trace],
  )
  const became = trace.events.some(({ type }) => type === 'text') ? 'text' : 'reasoning'
  const isNoCall = calls.length === 0 && wireCalls.length === 0
  const hasProblem = said.some(({ event }) => event.type === 'problem')
  return (
    <div class="outcome">
      {isNoCall ? (
        <p class="no-call">
          <strong>No tool call{hasProblem ? ' came of it' : isEnded ? '' : ' yet'}.</strong>{' '}
          {hasProblem
            ? 'This is why:'
            : isEnded && trace.events.length > 0
              ? `What the model wrote is ${became}.`
              : ''}
        </p>
      ) : null}
      {calls.slice(0, MOST_SHOWN).map((call, index) => (
        <CallCard key={call.event} call={call} index={index} focus={focus} />
      ))}
      {calls.length > MOST_SHOWN ? (
        <p class="hint">And {counted(calls.length - MOST_SHOWN, 'more call')}, in the list of events.</p>
      ) : null}
      {wireCalls.slice(0, MOST_SHOWN).map((call) => (
        <article key={`${call.id} ${call.name}`} class="call">
          <header>
            <h3>
              <ShownText text={call.name} />
            </h3>
            <span class="badge">structured</span>
          </header>
          <Arguments json={call.json} />
        </article>
      ))}
      {said.length === 0 || (isNoCall && hasProblem) ? null : (
        <h3 class="said-title">Problems and repairs</h3>
      )}
      <ul class="said">
        {said.slice(0, MOST_SHOWN).map(({ event, index }) => (
          <li key={index}>
            <button
              type="button"
              class={`said-one is-${event.type}`}
              aria-pressed={focus.chosen.value === index}
              onClick={() => (focus.chosen.value = index)}
              onMouseEnter={() => (focus.hovered.value = index)}
              onMouseLeave={() => (focus.hovered.value = null)}
            >
              <span class="said-code">
                {event.type === 'problem' ? '!' : '~'} {event.code}
              </span>
              <ShownText text={event.message} />
              <Meaning code={event.code} message={event.message} />
              {event.type === 'problem' && event.source !== '' ? (
                <code class="said-source">
                  <ShownText text={event.source.slice(0, 300)} />
                </code>
              ) : null}
            </button>
          </li>
        ))}
      </ul>
      {said.length > MOST_SHOWN ? (
        <p class="hint">And {exact(said.length - MOST_SHOWN)} more, in the list of events.</p>
      ) : null}
    </div>
  )
}

/** What a code always means, where the sentence of this one says something else: what became of the call, above all. */
function Meaning({ code, message }: { readonly code: string; readonly message: string }): JSX.Element | null {
  const meaning = useMeanings()[code] ?? message
  return meaning === message ? null : <span class="said-meaning">{meaning}</span>
}

function useMeanings(): Meanings {
  const [meanings, setMeanings] = useState<Meanings>({})
  useEffect(() => {
    void ask('meanings', null).then(setMeanings)
  }, [])
  return meanings
}

interface CallCardProps {
  readonly call: ReadCall
  readonly index: number
  readonly focus: Focus
}

function CallCard({ call, index, focus }: CallCardProps): JSX.Element {
  const looked = focus.hovered.value ?? focus.chosen.value ?? -1
  return (
    <article
      class={`call${looked >= call.event && looked <= call.last ? ' is-hovered' : ''}`}
      onMouseEnter={() => (focus.hovered.value = call.event)}
      onMouseLeave={() => (focus.hovered.value = null)}
    >
      <header>
        <h3>
          <button type="button" class="call-name" onClick={() => (focus.chosen.value = call.event)}>
            <ShownText text={call.name} />
          </button>
        </h3>
        <span class="hint">call {index}</span>
        {call.id === null ? null : (
          <code class="call-id">
            <ShownText text={call.id} />
          </code>
        )}
        <span class={`badge${call.state === 'complete' ? ' badge-good' : ' badge-problem'}`}>
          {call.state}
        </span>
      </header>
      <Arguments json={call.json} />
    </article>
  )
}

/** Laid out where it is JSON, as it came where it is not. What is very long is cut. */
function Arguments({ json }: { readonly json: string }): JSX.Element {
  const value = json.length > 200_000 ? undefined : parsed(json)
  const text = value === undefined ? json : JSON.stringify(value, null, 2)
  return (
    <pre class="arguments" tabIndex={0} aria-label="Arguments">
      <ShownText text={text.slice(0, 20_000)} />
      {text.length > 20_000 ? `\n… ${text.length - 20_000} more characters` : null}
    </pre>
  )
}

function callsOf({ events }: OutputTrace): ReadCall[] {
  const calls: ReadCall[] = []
  for (const [index, event] of events.entries()) {
    if (event.type === 'call-start') {
      calls.push({ event: index, last: index, id: event.id, name: event.name, json: '', state: 'open' })
    }
    const last = calls.at(-1)
    if (last === undefined || (event.type !== 'call-delta' && event.type !== 'call-end')) continue
    const isDelta = event.type === 'call-delta'
    const state = isDelta ? 'open' : event.complete ? 'complete' : 'not complete'
    calls[calls.length - 1] = {
      ...last,
      last: index,
      state,
      json: isDelta ? last.json + event.json : last.json,
    }
  }
  return calls
}
