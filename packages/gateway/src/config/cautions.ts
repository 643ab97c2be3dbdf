import { serverAt, serverById } from '@dragoman/core'
import { isLoopbackHost } from './addresses.ts'
import { listenHost } from './checks.ts'
import type { ReadFile } from './config-files.ts'
import { isLiteral } from './interpolate.ts'
import { matchesName } from './match-model.ts'
import type { ConfigIssue, Path } from './origin.ts'
import { issueAt, itemsAt, keysAt, textAt, treeAt, type SettingTree } from './setting-tree.ts'

/** Warnings about settings that are valid but may not be what was meant. */
export function cautions(settings: SettingTree): ConfigIssue[] {
  const upstreams = keysAt(settings, ['upstreams']).map((name) => ['upstreams', name])
  return [
    ...upstreams.flatMap((path) => openKey(settings, path)),
    ...upstreams.flatMap((path) => missingPath(settings, path)),
    ...upstreams.flatMap((path) => unreadableText(settings, path)),
    ...unreachedModels(settings),
    ...namelessAddress(settings),
  ]
}

/**
 * Files with keys that other users of the machine can read. This is an error where the gateway serves other machines,
 * and a warning elsewhere.
 */
export function exposedFiles(
  files: readonly ReadFile[],
  settings: SettingTree,
): { issues: ConfigIssue[]; warnings: ConfigIssue[] } {
  const exposed = files
    .filter(({ isReadableByOthers, settings: own }) => isReadableByOthers && keyIn(own) !== undefined)
    .map(({ name, settings: own }) =>
      issueAt(own, keyIn(own) ?? [], `the file holds keys and others can read it; run: chmod 600 ${name}`),
    )
  return isLoopbackHost(listenHost(settings))
    ? { issues: [], warnings: exposed }
    : { issues: exposed, warnings: [] }
}

/** The path of a key that stands in a file itself. A variable in its place is no key. */
function keyIn(settings: SettingTree): Path | undefined {
  if (itemsAt(settings, ['keys']).length > 0) return ['keys']
  return keysAt(settings, ['upstreams'])
    .map((name) => ['upstreams', name, 'apiKey'])
    .find((path) => {
      const key = treeAt(settings, path)
      return key !== undefined && isLiteral(key)
    })
}

function openKey(settings: SettingTree, path: Path): ConfigIssue[] {
  const url = textAt(settings, [...path, 'url']) ?? ''
  if (!URL.canParse(url) || treeAt(settings, [...path, 'apiKey']) === undefined) return []
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || isLoopbackHost(hostname)) return []
  return [issueAt(settings, [...path, 'url'], 'the key is sent over http, where others can read it')]
}

function missingPath(settings: SettingTree, path: Path): ConfigIssue[] {
  const url = textAt(settings, [...path, 'url']) ?? ''
  if (!URL.canParse(url) || new URL(url).pathname !== '/') return []
  return [issueAt(settings, [...path, 'url'], 'has no path; most servers answer under /v1')]
}

/** Not every server can be kept from reading the calls itself. */
function unreadableText(settings: SettingTree, path: Path): ConfigIssue[] {
  const parsePath = [...path, 'parse']
  const url = textAt(settings, [...path, 'url']) ?? ''
  if (textAt(settings, parsePath) !== 'ours' || !URL.canParse(url)) return []
  const server = serverById(textAt(settings, [...path, 'kind']) ?? '') ?? serverAt(url)
  if (server === undefined || server.textCalls !== undefined) return []
  return [issueAt(settings, parsePath, `${server.title} cannot be kept from reading calls itself`)]
}

/**
 * A rule behind one that matches all of its names is never used. In the name of the later rule a `*` is a character like any
 * other, which only a `*` of the earlier one matches: so the earlier matches the pattern if it matches all that fits it.
 */
function unreachedModels(settings: SettingTree): ConfigIssue[] {
  const patterns = itemsAt(settings, ['models']).map((model) => textAt(model, ['match']))
  const hidden = patterns.flatMap((pattern, at) => {
    const before =
      pattern === undefined ? undefined : patterns.slice(0, at).find((each) => hides(each, pattern))
    return before === undefined ? [] : [{ at, before }]
  })
  const [firstBehindAll, ...others] = hidden.filter(({ before }) => before === '*')
  return hidden
    .filter((each) => !others.includes(each))
    .map((each) =>
      issueAt(
        settings,
        ['models', each.at],
        each === firstBehindAll
          ? 'is never used: "*" before it matches every name'
          : `is never used: "${each.before}" before it matches every such name; put this rule in front of it`,
      ),
    )
}

function hides(before: string | undefined, pattern: string): boolean {
  return before !== undefined && matchesName(pattern, before)
}

function namelessAddress(settings: SettingTree): ConfigIssue[] {
  const isNamed = itemsAt(settings, ['listen', 'allowedHosts']).length > 0
  if (isNamed || isLoopbackHost(listenHost(settings))) return []
  const message =
    'every request gets 403: listen.allowedHosts has no name by which clients may call this machine'
  return [issueAt(settings, ['listen', 'host'], message)]
}
