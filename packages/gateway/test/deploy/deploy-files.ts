import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import type { GatewayConfig } from '../../src/config/config.ts'
import { accepted } from '../config/fake-world.ts'

export function deployFile(path: string): string {
  return readFileSync(new URL(`../../../../deploy/${path}`, import.meta.url), 'utf8')
}

/** The one document of a file, which must be right as YAML. */
export function deployYaml(path: string): unknown {
  const [document, ...others] = parseAllDocuments(deployFile(path), { merge: true })
  if (document === undefined || !('errors' in document) || others.length > 0)
    throw new Error(`${path}: not one`)
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0) throw new Error(`${path}: ${faults.map(({ message }) => message).join('\n')}`)
  return document.toJS()
}

/** A configuration as the gateway reads it where it is mounted with this mode for a group of the process. */
export function configIn(
  yaml: string,
  env: Readonly<Record<string, string>>,
  mode: number,
): Promise<GatewayConfig> {
  return accepted({ yaml, env, mode, group: 1000 })
}

/** The value of a directive that stands alone on its line: `name value;` in nginx, `name value` in HAProxy. */
export function directive(text: string, name: string): string {
  const found = [...text.matchAll(new RegExp(`^\\s*${name}\\s+(.*?);?\\s*$`, 'gm'))].map(([, value]) => value)
  const [value] = found
  if (value === undefined || found.length > 1) throw new Error(`${name} stands there ${found.length} times`)
  return value
}

/** Milliseconds of `30s`. */
export function milliseconds(time: string): number {
  const seconds = /^(\d+)s$/.exec(time)?.[1]
  if (seconds === undefined) throw new Error(`no time in seconds: ${time}`)
  return Number(seconds) * 1000
}
