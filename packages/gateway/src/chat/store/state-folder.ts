import { isAbsolute, join } from 'node:path'

/** Where what is worth keeping between two runs is kept, after the XDG base directory specification. */
export function stateFolder(env: NodeJS.ProcessEnv, home: string, platform: NodeJS.Platform): string {
  const named = platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_STATE_HOME']
  // The specification: a path that is not absolute says nothing.
  const base = named !== undefined && isAbsolute(named) ? named : join(home, '.local', 'state')
  return join(base, 'dragoman')
}
