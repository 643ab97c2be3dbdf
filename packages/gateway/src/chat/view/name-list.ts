const WIDTH = 78

/** Lists names after a label, in lines that break between two names. */
export function nameList(label: string, names: readonly string[]): string {
  const lines: string[] = []
  let line = label
  for (const [at, name] of names.entries()) {
    const word = at === names.length - 1 ? name : `${name},`
    if (line.length + word.length + 1 > WIDTH && line.trim() !== '') {
      lines.push(line)
      line = ' '.repeat(label.length)
    }
    line += ` ${word}`
  }
  return [...lines, line].join('\n')
}
