/** The known word nearest to a mistyped one, if any is near. */
export function didYouMean(typed: string, known: readonly string[]): string | undefined {
  const word = typed.toLowerCase()
  const ranked = known
    .map((candidate) => ({ candidate, distance: distanceBetween(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)
  const begun = word.length >= 2 ? known.find((candidate) => candidate.startsWith(word)) : undefined
  return ranked[0]?.candidate ?? begun
}

/** How many characters to insert, remove, replace or swap with their neighbour. */
function distanceBetween(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const ways = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      ]
      if (isSwap) ways.push((beforeLast[column - 2] ?? 0) + 1)
      current.push(Math.min(...ways))
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? 0
}
