/** What stands in front of a part of a sample and after it, so that something else can be put there. */
export interface Place {
  readonly before: string
  readonly after: string
}

/** Where the arguments stand, if the format writes them as JSON. */
export function argumentsIn(sample: string): Place[] {
  return placesOf(/\{"city": ?"Paris"\}/, sample)
}

/** Where the value of `city` stands, if the format writes it as bare text between tags. */
export function valuesIn(sample: string): Place[] {
  return placesOf(/(?<=[>\n])Paris(?=[<\n])/, sample)
}

function placesOf(part: RegExp, sample: string): Place[] {
  const found = part.exec(sample)
  if (found === null) return []
  return [{ before: sample.slice(0, found.index), after: sample.slice(found.index + found[0].length) }]
}
