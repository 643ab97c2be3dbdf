import { printable } from '../base/printable.ts'
import { isLoopbackHost } from '../config/addresses.ts'
import type { GatewayConfig } from '../config/config.ts'
import { inspectorAccess } from '../inspection/access.ts'
import { exampleName } from '../config/match-model.ts'
import { type KnownLimits, longestAnswer } from '../launch/client.ts'
import { clients, isServed } from '../launch/clients.ts'
import type { Output } from '../terminal/output.ts'
import type { Survey, SurveyedModel } from './survey.ts'

/** Hints for a gateway that listens: a command for each kind of client. */
export function serveHints(
  listening: string,
  config: GatewayConfig,
  known: Survey,
  stderr: Pick<Output, 'style'>,
): string {
  const address = callableAddress(listening, config)
  const askable = known.models.find(({ name }) => isPlain(name))
  const model = askable?.name ?? configuredModel(config) ?? unknownModel(config)
  const limits = limitsOf(askable)
  const schema = '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}'
  const question = '"messages":[{"role":"user","content":"What is the weather in Paris?"}]'
  const chat = `{"model":"${model}","stream":true,${question},"tools":[{"type":"function","function":{"name":"get_weather","parameters":${schema}}}]}`
  const anthropic = `{"model":"${model}","stream":true,"max_tokens":1024,${question},"tools":[{"name":"get_weather","input_schema":${schema}}]}`
  const key = config.keys.length === 0 ? '' : "-H 'authorization: Bearer KEY' "
  const room = limits === null ? '' : `${clients['claude']?.windowHint?.(limits) ?? ''} `
  const lines = [
    ...upstreamLines(config, known),
    ...inspectorLines(address, config, model),
    '',
    stderr.style('bold', 'OpenAI clients'),
    `  curl -N ${address}/v1/chat/completions ${key}-H 'content-type: application/json' -d '${chat}'`,
    stderr.style('bold', 'Anthropic clients'),
    `  curl -N ${address}/v1/messages ${key}-H 'content-type: application/json' -d '${anthropic}'`,
    stderr.style('bold', 'Claude Code'),
    `  ANTHROPIC_BASE_URL=${address} ANTHROPIC_AUTH_TOKEN=${key === '' ? 'any' : 'KEY'} ANTHROPIC_MODEL=${model} ${room}claude`,
    ...windowLines(limits, stderr),
    `Coding agents, set up for you: npx dragoman run -- claude`,
    '',
  ]
  return lines.join('\n')
}

/** The simulator writes calls for any name. Of an upstream that tells none, the user has to know one. */
function unknownModel({ upstreams }: GatewayConfig): string {
  return upstreams === 'simulator' ? 'kimi-k2' : 'MODEL'
}

function upstreamLines({ upstreams }: GatewayConfig, known: Survey): string[] {
  if (upstreams === 'simulator') {
    return [
      'No upstream is configured: a built-in simulator answers, no model runs.',
      'To set one up: npx dragoman init',
    ]
  }
  const servers = new Map(known.upstreams.map(({ name, server }) => [name, server]))
  const named = [...upstreams.keys()].map((name) => {
    const server = servers.get(name) ?? null
    return server === null ? name : `${name} (${server})`
  })
  const windows = known.models.flatMap((model) => (model.window === undefined ? [] : [windowLine(model)]))
  const faults = known.upstreams.flatMap(({ name, fault }) =>
    fault === null ? [] : [`${name}: ${printable(fault)}`],
  )
  return [`Upstreams: ${named.join(', ')}`, ...faults, ...new Set(windows)]
}

/** Who has to be told how to turn it on has not looked for it. */
function inspectorLines(address: string, config: GatewayConfig, model: string): string[] {
  const { is } = inspectorAccess(config)
  if (is === 'off') return []
  const page = `Inspector: ${address}/inspector${is === 'keyed' ? ' (behind a key)' : ''}`
  if (config.upstreams !== 'simulator') return [page]
  return [
    page,
    `  It tells why a call was none, too: ask for the model ${model}+length, which breaks off inside one.`,
  ]
}

function windowLine({ name, window = 0 }: SurveyedModel): string {
  return `${name}: a window of ${window.toLocaleString('en')} tokens`
}

function limitsOf(model: SurveyedModel | undefined): KnownLimits | null {
  if (model?.window === undefined) return null
  const { window, maxOutput = null } = model
  const answer = longestAnswer({ window, maxOutput })
  return answer === null ? null : { window, answer }
}

/** The other clients take a model that they do not know for a larger one, too. */
function windowLines(limits: KnownLimits | null, stderr: Pick<Output, 'style'>): string[] {
  if (limits === null) return []
  const lines = Object.entries(clients).flatMap(([program, client]) => {
    const hint = program === 'claude' || !isServed(client) ? undefined : client.windowHint?.(limits)
    return hint === undefined ? [] : [`  ${client.title}: ${hint}`]
  })
  return lines.length === 0 ? [] : [stderr.style('bold', 'The window, for other clients'), ...lines]
}

/**
 * An address that clients can call. A gateway that others can reach answers only under its configured names, and
 * nobody can call 0.0.0.0.
 */
export function callableAddress(address: string, { listen }: GatewayConfig): string {
  const [name] = listen.allowedHosts
  if (name !== undefined && !isLoopbackHost(listen.host)) return `http://${name}:${new URL(address).port}`
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** A model that is certain to be answered, where the configuration has one that needs no quoting. */
function configuredModel({ models }: GatewayConfig): string | undefined {
  return models.map(exampleName).find((name) => name !== undefined && isPlain(name))
}

function isPlain(name: string): boolean {
  return /^[\w.:/@+-]+$/.test(name)
}
