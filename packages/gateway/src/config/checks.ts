import {
  createParser,
  DragomanError,
  formatIds,
  isPromptFormat,
  promptFormatIds,
  resolveFormatId,
} from '@dragoman/core'
import { isLoopbackHost, isOwnAddress } from './addresses.ts'
import type { ConfigIssue, Path } from './origin.ts'
import {
  issueAt,
  itemsAt,
  keysAt,
  leavesOf,
  plainValue,
  type SettingTree,
  textAt,
  treeAt,
} from './setting-tree.ts'
import { listedUpstreams, upstreamFaults } from './upstream-order.ts'
import { isOpenRouter } from './upstream-url.ts'

/**
 * Finds settings that are valid by themselves and contradict each other. It reads the settings before the schema
 * does, so that both kinds of errors are reported together.
 */
export function faultsBetween(settings: SettingTree): ConfigIssue[] {
  return [
    ...upstreamFaults(settings),
    ...missingModels(settings),
    ...unwritableTools(settings),
    ...openPort(settings),
    ...openInspector(settings),
    ...repeatedKeyNames(settings),
    ...misdirectedKeys(settings),
    ...ownAddresses(settings),
    ...unknownMarkers(settings),
  ]
}

/** The address to listen on, whoever said it. */
export function listenHost(settings: SettingTree): string {
  return textAt(settings, ['listen', 'host']) ?? '127.0.0.1'
}

function missingModels(settings: SettingTree): ConfigIssue[] {
  const upstreams = keysAt(settings, ['upstreams'])
  if (upstreams.length < 2 || treeAt(settings, ['models']) !== undefined) return []
  return [issueAt(settings, ['upstreams'], 'with more than one upstream, models must say which answers')]
}

function unwritableTools(settings: SettingTree): ConfigIssue[] {
  return itemsAt(settings, ['models']).flatMap((rule, at) => {
    const said = [['models', at], ...listedUpstreams(rule, ['models', at])]
    const format = (path: Path): string =>
      textAt(settings, [...path, 'format']) ?? textAt(rule, ['format']) ?? ''
    const wrong = said.filter((path) => {
      const written = resolveFormatId(format(path))
      const isPrompt = textAt(settings, [...path, 'tools']) === 'prompt'
      return isPrompt && (written === undefined || !isPromptFormat(written))
    })
    const message = `tools can stand in the prompt only with format: ${promptFormatIds.join(', ')}`
    return wrong.map((path) => issueAt(settings, [...path, 'tools'], message))
  })
}

function openPort(settings: SettingTree): ConfigIssue[] {
  if (isLoopbackHost(listenHost(settings)) || itemsAt(settings, ['keys']).length > 0) return []
  const message =
    'others can reach this address, so clients need keys: add one under keys, or set DRAGOMAN_API_KEY'
  return [issueAt(settings, ['listen', 'host'], message)]
}

/** All conversations are on the page, so that a key of any client is not enough where a gateway has several. */
function openInspector(settings: SettingTree): ConfigIssue[] {
  const path = ['inspector', 'enabled']
  const isShared = !isLoopbackHost(listenHost(settings)) || itemsAt(settings, ['keys']).length > 0
  if (!isTrue(settings, path) || !isShared) return []
  if (itemsAt(settings, ['keys']).some((key) => isTrue(key, ['inspector']))) return []
  const message = 'others can reach the inspector: one of the keys needs inspector: true'
  return [issueAt(settings, path, message)]
}

function isTrue(settings: SettingTree, path: Path): boolean {
  const tree = treeAt(settings, path)
  return tree !== undefined && plainValue(tree) === true
}

function repeatedKeyNames(settings: SettingTree): ConfigIssue[] {
  const names = itemsAt(settings, ['keys']).map((key) => textAt(key, ['name']))
  return names.flatMap((name, at) =>
    name !== undefined && names.indexOf(name) < at
      ? [issueAt(settings, ['keys', at, 'name'], `there is another key "${name}"`)]
      : [],
  )
}

/**
 * A key for OpenRouter pays for every model there is, so it is sent to OpenRouter alone, whatever the configuration
 * says.
 */
function misdirectedKeys(settings: SettingTree): ConfigIssue[] {
  return keysAt(settings, ['upstreams']).flatMap((name) => {
    const path = ['upstreams', name]
    const upstream = treeAt(settings, path)
    if (upstream === undefined || isOpenRouter(textAt(upstream, ['url']) ?? '')) return []
    const message = 'OPENROUTER_API_KEY is only sent to https://openrouter.ai; use another variable'
    return leavesOf(upstream, path)
      .filter(([, leaf]) => leaf.kind === 'value' && leaf.variables?.includes('OPENROUTER_API_KEY') === true)
      .map(([leafPath]) => issueAt(settings, leafPath, message))
  })
}

function ownAddresses(settings: SettingTree): ConfigIssue[] {
  return keysAt(settings, ['upstreams']).flatMap((name) => {
    const path = ['upstreams', name, 'url']
    const message = 'is the address of the gateway itself'
    return isOwnAddress(textAt(settings, path) ?? '', settings) ? [issueAt(settings, path, message)] : []
  })
}

function unknownMarkers(settings: SettingTree): ConfigIssue[] {
  return formatIds.flatMap((format) =>
    keysAt(settings, ['formats', format, 'markers']).flatMap((marker) => {
      const path = ['formats', format, 'markers', marker]
      const message = markerFault(format, marker, treeAt(settings, path))
      return message === undefined ? [] : [issueAt(settings, path, message)]
    }),
  )
}

function markerFault(
  format: (typeof formatIds)[number],
  marker: string,
  tree: SettingTree | undefined,
): string | undefined {
  const value = tree === undefined ? undefined : plainValue(tree)
  const texts = Array.isArray(value) ? value : [value]
  // The schema reports a marker of the wrong type.
  if (!texts.every((text): text is string => typeof text === 'string' && text !== '')) return undefined
  try {
    createParser({ format, tools: [{ name: 'any' }], markers: { [marker]: texts } })
    return undefined
  } catch (error) {
    if (DragomanError.is(error)) return error.message
    throw error
  }
}
