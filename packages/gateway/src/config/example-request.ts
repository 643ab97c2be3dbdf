import type { GatewayConfig } from './config.ts'
import { exampleName } from './match-model.ts'

const schema = '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}'
const question = '"messages":[{"role":"user","content":"What is the weather in Paris?"}]'

/** Requests that a model answers with a call, for whoever has none at hand. `model` needs no quoting. */
export const exampleRequests = {
  chat: (model: string): { path: string; body: string } => ({
    path: '/v1/chat/completions',
    body: `{"model":"${model}","stream":true,${question},"tools":[{"type":"function","function":{"name":"get_weather","parameters":${schema}}}]}`,
  }),
  messages: (model: string): { path: string; body: string } => ({
    path: '/v1/messages',
    body: `{"model":"${model}","stream":true,"max_tokens":1024,${question},"tools":[{"name":"get_weather","input_schema":${schema}}]}`,
  }),
} as const

/** A model that is certain to be answered: the simulator writes calls for any name. */
export function exampleModel({ models, upstreams }: GatewayConfig): string | undefined {
  const configured = models.map(exampleName).find((name) => name !== undefined && isPlainModel(name))
  return configured ?? (upstreams === 'simulator' ? 'kimi-k2' : undefined)
}

/** The simulator breaks off inside of a call where it is asked for this model. */
export function brokenModel(model: string): string {
  return `${model}+length`
}

/** Whether a name can stand in JSON in a shell as it is. */
export function isPlainModel(name: string): boolean {
  return /^[\w.:/@+-]+$/.test(name)
}
