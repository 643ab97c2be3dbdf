/** A function that makes something of each object once. What it made is kept as long as the object is. */
export function madeOnce<Key extends object, Made extends object | string>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const known = new WeakMap<Key, Made>()
  return (key) => {
    let made = known.get(key)
    if (made === undefined) {
      made = make(key)
      known.set(key, made)
    }
    return made
  }
}
