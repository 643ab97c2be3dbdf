/** By how much the second number of the points grows with the first: the line that fits them best. */
export function slope(points) {
  const x = mean(points.map(([at]) => at))
  const y = mean(points.map(([, value]) => value))
  const over = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0)
  return over / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

/** The number that so many of a hundred are below. */
export function percentile(numbers, percent) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0
}
