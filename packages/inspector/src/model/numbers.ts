/** `840 ms`, `12.4 s`, `3m 20s`. */
export function duration(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}m ${seconds % 60}s`
}

/** `812`, `12.4k`, `1.2M`. */
export function count(value: number | null): string {
  if (value === null) return '–'
  if (value < 10_000) return String(value)
  return value < 1_000_000 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1_000_000).toFixed(1)}M`
}

/** `1,200`. */
export function exact(value: number): string {
  return value.toLocaleString('en')
}

/** `1 chunk`, `1,200 chunks`. */
export function counted(value: number, what: string): string {
  return `${exact(value)} ${what}${value === 1 ? '' : 's'}`
}

/** The time of day, here; of another day with its date. */
export function moment(iso: string, now = new Date()): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return iso
  if (date.toDateString() === now.toDateString()) return date.toLocaleTimeString('en-GB', { hour12: false })
  const day = date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
  })
  return `${day} ${date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`
}
