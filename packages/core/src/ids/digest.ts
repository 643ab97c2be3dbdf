/**
 * A short name for a text: 53 bits as nine base-62 digits. Two FNV-1a lanes, because one lane of 32 bits would
 * give two ids of one long conversation the same name too often. Not a secret-keeping hash.
 */
export function nineAlphanumerics(text: string): string {
  let low = 0x811c9dc5
  let high = 0x9e3779b9
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b)
  }
  return base62((spread(high) >>> 11) * 2 ** 32 + spread(low))
}

/** FNV leaves texts that differ in their last character close together; this carries the difference into all bits. */
function spread(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0x297a2d39)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function base62(number: number): string {
  let written = ''
  for (let rest = number, at = 0; at < 9; at++) {
    written = digits.charAt(rest % 62) + written
    rest = Math.floor(rest / 62)
  }
  return written
}
