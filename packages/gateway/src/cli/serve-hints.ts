import { printable } from '../base/printable.ts'
import { isLoopbackHost } from '../config/addresses.ts'
import type { GatewayConfig } from '../config/config.ts'
import { brokenModel, exampleModel, exampleRequests, isPlainModel } from '../config/example-request.ts'
import { inspectorAccess } from '../inspection/access.ts'
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
  const askable = known.models.find(({ name }) => isPlainModel(name))
  // Of an upstream that tells none, the user has to know one.
  const model = askable?.name ?? exampleModel(config) ?? 'MODEL'
  const limits = limitsOf(askable)
  const chat = exampleRequests.chat(model)
  const messages = exampleRequests.messages(model)
  const key = config.keys.length === 0 ? '' : "-H 'authorization: Bearer KEY' "
  const room = limits === null ? '' : `${clients['claude']?.windowHint?.(limits) ?? ''} `
  const lines = [
    ...upstreamLines(config, known),
    ...inspectorLines(address, config, model),
    '',
    stderr.style('bold', 'OpenAI clients'),
    `  curl -N ${address}${chat.path} ${key}-H 'content-type: application/json' -d '${chat.body}'`,
    stderr.style('bold', 'Anthropic clients'),
    `  curl -N ${address}${messages.path} ${key}-H 'content-type: application/json' -d '${messages.body}'`,
    stderr.style('bold', 'Claude Code'),
    `  ANTHROPIC_BASE_URL=${address} ANTHROPIC_AUTH_TOKEN=${key === '' ? 'any' : 'KEY'} ANTHROPIC_MODEL=${model} ${room}claude`,
    ...windowLines(limits, stderr),
    agentLine(),
    '',
  ]
  return lines.join('\n')
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
    `  It tells why a call was none, too: ask for the model ${brokenModel(model)}, which breaks off inside one.`,
  ]
}

/** Every agent that can be started on a gateway by one command. */
function agentLine(): string {
  const programs = Object.entries(clients).flatMap(([program, client]) => (isServed(client) ? [program] : []))
  const [first = '', ...others] = programs
  return `Coding agents, set up for you: npx dragoman run -- ${first} (or ${others.join(', ')})`
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
