import { dirname, resolve } from 'node:path'
import { formatIds, type FormatId, type MarkerOverrides } from '@dragoman/core'
import { isLoopbackHost, withoutBrackets } from './addresses.ts'
import type {
  ClientKey,
  FormatsConfig,
  GatewayConfig,
  ModelRule,
  RuleTarget,
  Upstream,
  UpstreamTimeouts,
} from './config.ts'
import type { ProxyConfig } from './proxies.ts'
import { leavesOf, originAt, type SettingTree } from './setting-tree.ts'
import type { ParsedConfig } from './schema.ts'
import { Secret } from './secret.ts'
import type { PlainKeys } from './variable-key.ts'
import { upstreamBase } from './upstream-url.ts'

const DRAIN_GRACE = 3000

/** What the configuration needs beside the settings. */
export interface ResolvedBeside {
  readonly cwd: string
  readonly proxies: ProxyConfig
  readonly plainKeys: PlainKeys
}

/** Turns what the schema accepted into the configuration that the server uses. */
export function resolveConfig(
  parsed: ParsedConfig,
  settings: SettingTree,
  { cwd, proxies, plainKeys }: ResolvedBeside,
): GatewayConfig {
  const { listen, keys, delivery, reasoning, strictHistory, warnings, limits, timeouts, metrics } = parsed
  const upstreams = new Map(Object.entries(parsed.upstreams).map((entry) => [entry[0], upstreamOf(entry)]))
  // A path in a file starts from the folder of the file, any other from the working directory.
  const absolute = (path: string, ...key: string[]): string => {
    const origin = originAt(settings, key)
    return resolve(cwd, origin.from === 'file' ? dirname(origin.file) : '.', path)
  }
  const { record, inspector, log } = parsed
  return {
    listen: {
      ...listen,
      host: withoutBrackets(listen.host),
      allowedHosts: listen.allowedHosts.map((host) => host.toLowerCase()),
    },
    keys: keys.map((key) => clientKeyOf(key, plainKeys.get(key.name))),
    upstreams: upstreams.size === 0 ? 'simulator' : upstreams,
    models: modelsOf(parsed, [...upstreams.keys()][0] ?? 'simulator'),
    routing: parsed.routing,
    formats: formatsOf(parsed),
    delivery,
    reasoning,
    responses: { itemCache: parsed.responses.itemCache ?? null },
    strictHistory,
    warnings,
    limits,
    timeouts: {
      ...timeouts,
      // On a loopback address nobody stands before the gateway who has to learn that it ends.
      drainGrace: timeouts.drainGrace ?? (isLoopbackHost(listen.host) ? 0 : DRAIN_GRACE),
    },
    record: record === undefined ? null : { ...record, dir: absolute(record.dir, 'record', 'dir') },
    inspector: { ...inspector, enabled: inspector.enabled ?? null },
    log: { ...log, file: log.file === null ? null : absolute(log.file, 'log', 'file') },
    metrics,
    proxies,
    hidden: hiddenIn(settings),
  }
}

function hiddenIn(settings: SettingTree): readonly Secret[] {
  return leavesOf(settings).flatMap(([path, leaf]) => {
    const isOfBody = path[0] === 'upstreams' && path[2] === 'body'
    const isFilledIn = leaf.kind === 'value' && leaf.written !== undefined
    return isOfBody && isFilledIn && typeof leaf.value === 'string' ? [new Secret(leaf.value)] : []
  })
}

function clientKeyOf(
  { name, sha256, inspector }: ParsedConfig['keys'][number],
  plain: Secret | undefined,
): ClientKey {
  const key = inspector ? { name, sha256, inspector } : { name, sha256 }
  return plain === undefined ? key : { ...key, plain }
}

function upstreamOf([name, given]: [string, ParsedConfig['upstreams'][string]]): Upstream {
  const { url, dialect, apiKey, headers, body, kind, parse, sessionHeader } = given
  return {
    name,
    url: upstreamBase(url, dialect),
    dialect,
    apiKey: apiKey === undefined ? null : new Secret(apiKey),
    headers: new Map(
      Object.entries(headers).map(([header, value]) => [header.toLowerCase(), new Secret(value)]),
    ),
    body,
    kind,
    parse,
    ...(sessionHeader === undefined ? {} : { sessionHeader: sessionHeader.toLowerCase() }),
  }
}

/** Without rules, every name goes to the only upstream. */
function modelsOf({ models, timeouts }: ParsedConfig, only: string): readonly ModelRule[] {
  if (models.length === 0) {
    const rule = { match: '*', order: null, upstream: only, model: null, format: 'auto' } as const
    const nothingSaid = { startsInReasoning: null, window: null, maxTokens: null, thinking: 'auto' } as const
    return [{ ...rule, tools: 'native', ...nothingSaid, timeouts: upstreamTimeouts(timeouts, {}) }]
  }
  return models.map((rule) => ruleOf(rule, timeouts))
}

type ParsedRule = ParsedConfig['models'][number]

function ruleOf(rule: ParsedRule, common: UpstreamTimeouts): ModelRule {
  const pools = [rule.upstream]
    .flat()
    .map((entry) => [entry].flat().map((listed) => targetOf(rule, listed, common)))
  const [first] = pools.flat()
  if (first === undefined) throw new TypeError('a rule has no upstream')
  const isOnly = pools.flat().length === 1
  return { ...first, match: rule.match, order: isOnly ? null : pools }
}

type ListedUpstream = Exclude<ParsedRule['upstream'], readonly unknown[]>

/** What an upstream says of itself in the list takes the place of what the rule says of all. */
function targetOf(rule: ParsedRule, listed: ListedUpstream, common: UpstreamTimeouts): RuleTarget {
  const own = typeof listed === 'string' ? { name: listed } : listed
  return {
    upstream: own.name,
    model: own.model ?? rule.model ?? null,
    format: own.format ?? rule.format,
    tools: own.tools ?? rule.tools,
    startsInReasoning: own.startsInReasoning ?? rule.startsInReasoning ?? null,
    window: own.window ?? rule.window ?? null,
    maxTokens: own.maxTokens ?? rule.maxTokens ?? null,
    thinking: own.thinking ?? rule.thinking,
    timeouts: upstreamTimeouts(upstreamTimeouts(common, rule.timeouts), own.timeouts ?? {}),
  }
}

function upstreamTimeouts(common: UpstreamTimeouts, own: ParsedRule['timeouts']): UpstreamTimeouts {
  return {
    connect: own.connect ?? common.connect,
    headers: own.headers ?? common.headers,
    idle: own.idle ?? common.idle,
    finishGrace: own.finishGrace ?? common.finishGrace,
  }
}

function formatsOf({ formats }: ParsedConfig): FormatsConfig {
  const markers: Partial<Record<FormatId, MarkerOverrides>> = {}
  const toolCallBytes: Partial<Record<FormatId, number>> = {}
  for (const id of formatIds) {
    const given = formats[id]
    if (given?.markers !== undefined) markers[id] = given.markers
    if (given?.toolCallBytes !== undefined) toolCallBytes[id] = given.toolCallBytes
  }
  return { overrides: formats.overrides, markers, toolCallBytes }
}
