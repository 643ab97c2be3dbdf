/** Whole numbers with a unit: `250ms`, `10s`, `5m`, `2h`, `7d`. */
export const durationPattern = /^(\d{1,12})(ms|s|m|h|d)$/

/** Milliseconds, or undefined for a text that is no duration. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = durationPattern.exec(text) ?? []
  const factor = unit === undefined ? undefined : milliseconds.get(unit)
  return factor === undefined ? undefined : Number(amount) * factor
}

const milliseconds: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])
