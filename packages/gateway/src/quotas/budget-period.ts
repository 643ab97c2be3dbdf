import type { BudgetPeriod } from '../config/config.ts'

/** The day of a time, such as `2026-11-16`. Days are those of UTC, so that all replicas have the same. */
export function dayAt(today: number): string {
  return new Date(today).toISOString().slice(0, 'yyyy-mm-dd'.length)
}

/** The period that a time belongs to: a day, or a month such as `2026-11`. */
export function periodAt(today: number, per: BudgetPeriod): string {
  return dayAt(today).slice(0, per === 'day' ? 'yyyy-mm-dd'.length : 'yyyy-mm'.length)
}

/** When the next period begins, in milliseconds since 1970. */
export function nextPeriod(today: number, per: BudgetPeriod): number {
  const date = new Date(today)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  return per === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1)
}
