/** A stretch of text as it may be shown, or one character that must not be shown as it is. */
export type Shown = { readonly text: string } | { readonly sign: string; readonly name: string }

/** Characters that draw nothing, draw elsewhere, or turn round what stands beside them. */
const hidden = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`,
    String.raw`[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]`,
    String.raw`[\u{e0000}-\u{e0fff}]`,
    String.raw`\p{Surrogate}`,
  ].join('|'),
  'gu',
)

const names: Readonly<Record<number, readonly [sign: string, name: string]>> = {
  0x00: ['NUL', 'null'],
  0x07: ['BEL', 'bell'],
  0x08: ['BS', 'backspace'],
  0x0d: ['CR', 'carriage return'],
  0x1b: ['ESC', 'escape, which begins a command to terminals'],
  0x7f: ['DEL', 'delete'],
  0x9b: ['CSI', 'begins a command to terminals'],
  0xad: ['SHY', 'soft hyphen'],
  0x61c: ['ALM', 'Arabic letter mark'],
  0x200b: ['ZWSP', 'zero width space'],
  0x200c: ['ZWNJ', 'zero width non-joiner'],
  0x200d: ['ZWJ', 'zero width joiner'],
  0x200e: ['LRM', 'left-to-right mark'],
  0x200f: ['RLM', 'right-to-left mark'],
  0x2028: ['LS', 'line separator'],
  0x2029: ['PS', 'paragraph separator'],
  0x202a: ['LRE', 'left-to-right embedding'],
  0x202b: ['RLE', 'right-to-left embedding'],
  0x202c: ['PDF', 'end of directional formatting'],
  0x202d: ['LRO', 'left-to-right override'],
  0x202e: ['RLO', 'right-to-left override'],
  0x2060: ['WJ', 'word joiner'],
  0x2066: ['LRI', 'left-to-right isolate'],
  0x2067: ['RLI', 'right-to-left isolate'],
  0x2068: ['FSI', 'first strong isolate'],
  0x2069: ['PDI', 'end of isolate'],
  0xfeff: ['BOM', 'byte order mark'],
}

/** Cuts a text where a character has to be shown by a sign. */
export function shown(text: string): Shown[] {
  const parts: Shown[] = []
  let from = 0
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) })
    parts.push(signOf(match[0].codePointAt(0) ?? 0))
    from = match.index + match[0].length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}

/** One line of text for lists and titles: signs in brackets, no line breaks, not longer than `length`. */
export function oneLine(text: string, length: number): string {
  const cut = text.length > length ? `${wholeUnits(text.slice(0, length))}…` : text
  return shown(cut.replaceAll('\n', '⏎').replaceAll('\t', '⇥'))
    .map((part) => ('text' in part ? part.text : `⟨${part.sign}⟩`))
    .join('')
}

/** Without the half of a character that a cut left at the end. */
function wholeUnits(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}

function signOf(code: number): { sign: string; name: string } {
  const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const known = names[code]
  if (known !== undefined) return { sign: known[0], name: `${point}, ${known[1]}` }
  if (code >= 0xd800 && code <= 0xdfff) return { sign: point, name: `${point}, half of a surrogate pair` }
  if (code >= 0xe0000) return { sign: point, name: `${point}, a tag that is not shown` }
  return { sign: point, name: `${point}, a character that is not shown` }
}
