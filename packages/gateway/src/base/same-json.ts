/** Whether two JSON values say the same. The order of keys says nothing, nor does a key without a value. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at]))
  }
  if (!isObject(a) || !isObject(b) || Array.isArray(b)) return false
  let shared = 0
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue
    if (!Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false
    shared++
  }
  return shared === Object.keys(b).filter((key) => b[key] !== undefined).length
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
