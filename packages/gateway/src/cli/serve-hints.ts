import { isLoopbackHost } from '../config/addresses.ts'
import type { GatewayConfig } from '../config/config.ts'
import { exampleName } from '../config/match-model.ts'
import type { Output } from '../terminal/output.ts'

/** Hints for a gateway that listens: a command for each kind of client. */
export function serveHints(listening: string, config: GatewayConfig, stderr: Pick<Output, 'style'>): string {
  const address = callableAddress(listening, config)
  const model = askableModel(config)
  const schema = '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}'
  const question = '"messages":[{"role":"user","content":"What is the weather in Paris?"}]'
  const chat = `{"model":"${model}","stream":true,${question},"tools":[{"type":"function","function":{"name":"get_weather","parameters":${schema}}}]}`
  const anthropic = `{"model":"${model}","stream":true,"max_tokens":1024,${question},"tools":[{"name":"get_weather","input_schema":${schema}}]}`
  const key = config.keys.length === 0 ? '' : "-H 'authorization: Bearer KEY' "
  const lines = [
    config.upstreams === 'simulator'
      ? 'No upstream is configured: a built-in simulator answers, no model runs.\nTo set one up: npx dragoman init'
      : `Upstreams: ${[...config.upstreams.keys()].join(', ')}`,
    '',
    stderr.style('bold', 'OpenAI clients'),
    `  curl -N ${address}/v1/chat/completions ${key}-H 'content-type: application/json' -d '${chat}'`,
    stderr.style('bold', 'Anthropic clients'),
    `  curl -N ${address}/v1/messages ${key}-H 'content-type: application/json' -d '${anthropic}'`,
    stderr.style('bold', 'Claude Code'),
    `  ANTHROPIC_BASE_URL=${address} ANTHROPIC_AUTH_TOKEN=${key === '' ? 'any' : 'KEY'} ANTHROPIC_MODEL=${model} claude`,
    '',
  ]
  return lines.join('\n')
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
function askableModel({ models }: GatewayConfig): string {
  const names = models.map(exampleName)
  return names.find((name) => name !== undefined && /^[\w.:/@+-]+$/.test(name)) ?? 'kimi-k2'
}
