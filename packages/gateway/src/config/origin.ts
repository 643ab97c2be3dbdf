/** Where a value was said. */
export type Origin =
  | { readonly from: 'default' }
  | { readonly from: 'file'; readonly file: string; readonly line: number; readonly column: number }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'flag'; readonly name: string }

/** Something wrong, or worth a warning, in what was said. */
export interface ConfigIssue {
  readonly origin: Origin
  /** Which key, such as `models[0].upstream`; empty where it is about no single one. */
  readonly path: string
  readonly message: string
}

/** `file:line:column: path: message`, or the flag or variable in place of the file. */
export function describeIssue({ origin, path, message }: ConfigIssue): string {
  const place = origin.from === 'default' ? [] : [describeOrigin(origin)]
  return [...place, ...(path === '' ? [] : [path]), message].join(': ')
}

export function describeOrigin(origin: Origin): string {
  switch (origin.from) {
    case 'default':
      return 'default'
    case 'file':
      return `${origin.file}:${origin.line}:${origin.column}`
    case 'environment':
      return `$${origin.name}`
    case 'flag':
      return `--${origin.name}`
  }
}

export type Path = readonly (string | number)[]

export function describePath(path: Path): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? quoted(key) : `.${quoted(key)}`))
    .join('')
}

/** A key that holds a dot or a bracket would otherwise read as several. */
function quoted(key: string): string {
  return /^[^\s.[\]"]+$/.test(key) ? key : JSON.stringify(key)
}
