/** Where a value was set. */
export type Origin =
  | { readonly from: 'default' }
  | { readonly from: 'file'; readonly file: string; readonly line: number; readonly column: number }
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'flag'; readonly name: string }

/** An error in the configuration, or a warning about it. */
export interface ConfigIssue {
  readonly origin: Origin
  /** The key, such as `models[0].upstream`; empty where the issue is about no single key. */
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

/** Without quotes, a key that holds a dot or a bracket would read as several keys. */
function quoted(key: string): string {
  return /^[^\s.[\]"]+$/.test(key) ? key : JSON.stringify(key)
}
