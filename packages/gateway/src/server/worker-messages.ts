/** The messages from a worker to its parent process. */
export type FromWorker =
  | { readonly dragoman: 'listening'; readonly address: string }
  | { readonly dragoman: 'metrics-wanted'; readonly id: number }

/** The messages from the parent process to a worker. */
export type ToWorker =
  | { readonly dragoman: 'reload' }
  | { readonly dragoman: 'reopen-log' }
  | { readonly dragoman: 'drain' }
  | { readonly dragoman: 'dropped'; readonly lines: number }
  | { readonly dragoman: 'metrics'; readonly id: number; readonly text: string | null }

/** Messages of other libraries, such as the one that gathers metrics, use the same channel and are ignored. */
export function fromWorker(message: unknown): FromWorker | undefined {
  const { dragoman, address, id }: Record<string, unknown> = Object(message)
  if (dragoman === 'listening' && typeof address === 'string') return { dragoman, address }
  if (dragoman === 'metrics-wanted' && typeof id === 'number') return { dragoman, id }
  return undefined
}

export function toWorker(message: unknown): ToWorker | undefined {
  const { dragoman, id, text, lines }: Record<string, unknown> = Object(message)
  if (dragoman === 'reload' || dragoman === 'reopen-log' || dragoman === 'drain') return { dragoman }
  if (dragoman === 'dropped' && typeof lines === 'number') return { dragoman, lines }
  if (dragoman === 'metrics' && typeof id === 'number') {
    return { dragoman, id, text: typeof text === 'string' ? text : null }
  }
  return undefined
}

/**
 * Names the files in force to a worker that starts later. If one of them is missing at that moment, the worker must
 * not believe that it never existed.
 */
const filesVariable = 'DRAGOMAN_FILES_IN_FORCE'

export function withFilesInForce(files: readonly string[]): Readonly<Record<string, string>> {
  return { [filesVariable]: JSON.stringify(files) }
}

export function filesInForce(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const files: unknown = JSON.parse(env[filesVariable] ?? '[]')
  return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : []
}

/** By which sessions of the inspector are signed: a page may speak to any of the workers. */
const secretVariable = 'DRAGOMAN_SESSION_SECRET'

export function withSessionSecret(secret: string): Readonly<Record<string, string>> {
  return { [secretVariable]: secret }
}

/** Undefined in a process that no other has started. */
export function sessionSecret(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env[secretVariable]
}
