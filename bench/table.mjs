/** Prints a Markdown table; the first column is text, the others are numbers. */
export function printTable(title, head, rows) {
  const lines = [head, ...rows].map((row) => row.map((cell) => String(cell)))
  const widths = head.map((_, column) => Math.max(3, ...lines.map((row) => row[column]?.length ?? 0)))
  const print = (row) => console.log(`| ${row.map((cell, at) => pad(cell, widths[at], at)).join(' | ')} |`)
  console.log(`\n### ${title}\n`)
  print(lines[0])
  console.log(
    `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`,
  )
  for (const row of lines.slice(1)) print(row)
}

/** Three digits that mean something, and no more. */
export function short(number) {
  if (number >= 100) return Math.round(number).toLocaleString('en')
  return number >= 10 ? number.toFixed(1) : number.toFixed(2)
}

function pad(cell, width, column) {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}
