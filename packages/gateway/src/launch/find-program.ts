import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a program that is given by name or by path, or undefined where there is none that can be run. */
export function findProgram(given: string, env: NodeJS.ProcessEnv): string | undefined {
  const isPath = given.includes('/') || (process.platform === 'win32' && given.includes('\\'))
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const places = isPath ? [given] : folders.map((folder) => join(folder, given))
  return places.flatMap((place) => endings(env).map((ending) => `${place}${ending}`)).find(canRun)
}

function endings(env: NodeJS.ProcessEnv): string[] {
  if (process.platform !== 'win32') return ['']
  return ['', ...(env['PATHEXT'] ?? '.EXE').split(';').map((ending) => ending.toLowerCase())]
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
