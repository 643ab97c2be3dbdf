import type { GatewayConfig } from '../config/config.ts'
import { brokenModel, exampleModel, exampleRequests } from '../config/example-request.ts'
import type { ExampleRequest } from './api-types.ts'

/** What somebody may send who looks at an empty page. None where no model is certain to answer. */
export function examplesFor(config: GatewayConfig): readonly ExampleRequest[] {
  const model = exampleModel(config)
  if (model === undefined) return []
  const headers: Readonly<Record<string, string>> =
    config.keys.length === 0 ? {} : { authorization: 'Bearer $DRAGOMAN_API_KEY' }
  const call = { title: 'A tool call', headers, ...exampleRequests.chat(model) }
  if (config.upstreams !== 'simulator') return [call]
  return [
    call,
    {
      title: 'An answer that breaks off inside a call: the page tells why it is none',
      headers,
      ...exampleRequests.messages(brokenModel(model)),
    },
  ]
}
