import type { JSX } from 'preact'
import type { ExchangeSummary } from '../api.ts'
import { toldBy } from '../model/format-source.ts'
import { gateway } from '../model/gateway.ts'
import { count, duration, moment } from '../model/numbers.ts'
import { oneLine } from '../model/visible.ts'
import { Marks } from './marks.tsx'

export const ROW_HEIGHT = 36

const columns = [
  'Time',
  'Client',
  'Model',
  'Format',
  'First byte',
  'Duration',
  'Tokens in / out',
  'Calls',
  'Finish',
  'Remarks',
] as const

export function ExchangeHead(): JSX.Element {
  return (
    <div class="exchange-row exchange-head" aria-hidden="true">
      {columns.map((name) => (
        <span key={name}>{name === 'Client' && gateway.isFolder ? 'Recording' : name}</span>
      ))}
    </div>
  )
}

interface ExchangeRowProps {
  readonly exchange: ExchangeSummary
  readonly isActive: boolean
}

/** One exchange in the list. */
export function ExchangeRow({ exchange, isActive }: ExchangeRowProps): JSX.Element {
  const { id, model, upstream, upstreamModel, format, formatFrom, firstByteMs, durationMs } = exchange
  const open = (): void => {
    location.hash = `#/exchanges/${encodeURIComponent(id)}`
  }
  return (
    <div
      id={`exchange-${id}`}
      role="option"
      aria-selected={isActive}
      class={`exchange-row is-${exchange.state}${exchange.problems > 0 ? ' has-problems' : ''}`}
      onClick={open}
    >
      <span class="number exchange-time" title={`${exchange.time} · ${oneLine(id, 80)}`}>
        {moment(exchange.time)}
      </span>
      <Client name={gateway.isFolder ? id : exchange.client} />
      <span
        class="exchange-model"
        title={oneLine(`${model} → ${upstreamModel ?? '–'} at ${upstream ?? '–'}`, 300)}
      >
        {oneLine(model, 60) || '–'}
        <span class="hint">{wentTo(exchange)}</span>
      </span>
      <span title={formatFrom === null ? '' : `known by ${toldBy[formatFrom]}`}>
        {format ?? '–'} <span class="hint">{formatFrom === null ? '' : `by ${shortly[formatFrom]}`}</span>
      </span>
      <span class="number">{duration(firstByteMs)}</span>
      <span class="number">{exchange.state === 'running' ? 'running' : duration(durationMs)}</span>
      <span class="number">
        {count(exchange.inputTokens)} / {count(exchange.outputTokens)}
      </span>
      <span class="number">{exchange.calls === 0 ? '' : exchange.calls}</span>
      <Finish exchange={exchange} />
      <Marks exchange={exchange} />
    </div>
  )
}

const shortly = { configuration: 'config', model: 'name', stream: 'output' } as const

/** The name of a client is what one looks for; its version is there as well. */
function Client({ name }: { readonly name: string | null }): JSX.Element {
  const shown = oneLine(name ?? '–', 60)
  const [, program = shown, version = ''] = /^(.*?)([/ ]v?\d[\w.+-]*)$/.exec(shown) ?? []
  return (
    <span title={oneLine(name ?? '', 200)}>
      {program}
      <span class="hint">{version}</span>
    </span>
  )
}

function wentTo({ model, upstream, upstreamModel }: ExchangeSummary): string {
  const other = upstreamModel === null || upstreamModel === model ? null : oneLine(upstreamModel, 60)
  const place = upstream === null ? null : oneLine(upstream, 40)
  if (other === null) return place === null ? '' : ` at ${place}`
  return ` → ${other}${place === null ? '' : ` at ${place}`}`
}

function Finish({ exchange: { finish, status } }: Pick<ExchangeRowProps, 'exchange'>): JSX.Element {
  const isRefused = finish === null && status !== null && status >= 400
  return <span class={isRefused ? 'is-bad' : ''}>{finish ?? (isRefused ? status : '–')}</span>
}
