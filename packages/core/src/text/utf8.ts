/** How many bytes `text` takes in UTF-8, without encoding it. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    // A surrogate pair is two units and four bytes; each half adds one here.
    bytes += code < 0x800 || isSurrogate(code) ? 1 : 2
  }
  return bytes
}

/** The longest prefix of `text` that takes at most `limit` bytes, as a length in UTF-16 units. */
export function prefixWithin(text: string, limit: number): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    bytes += code < 0x80 ? 1 : code < 0x800 || isSurrogate(code) ? 2 : 3
    if (bytes > limit) return at
  }
  return text.length
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff
}
