import { dialects, type Failure, mintToolId, type ParserOptions, translateAnswer } from '../../src/index.ts'
import type { Client, Reading, Received, Written } from './answer.ts'
import { declaredTools } from './tools.ts'

export interface Exchange {
  readonly upstream: Pick<Written, 'dialect' | 'delivered' | 'body'>
  readonly client: Client
  readonly reading: Reading
}

/** What the client of a gateway gets for the body of an upstream. Nothing else in the law knows the core. */
export function clientGets({ upstream, client, reading }: Exchange): Received {
  let count = 0
  const answer = translateAnswer({
    from: upstream.dialect,
    to: client.dialect,
    delivered: upstream.delivered,
    wants: client.wants,
    parser: parserOptions(reading),
    // Ids count up, so that the same answer is the same text each time.
    mint: (format, taken) =>
      mintToolId({ dialect: client.dialect, format, newId: () => `n${count++}`, taken }),
    includeUsage: true,
    encoding: () => ({
      id: 'answer_1',
      model: 'the-model',
      created: 1,
      inputTokens: () => 1,
      signature: () => 'signature',
    }),
  })
  let body = ''
  for (const piece of upstream.body) body += answer.push(piece)
  body += answer.end()
  if (answer.failure !== null && !answer.isStarted) return refusal(client, answer.failure)
  return { status: 200, is: client.wants, body }
}

function parserOptions({ format, tools, delivery, toolCallBytes }: Reading): ParserOptions {
  return {
    format,
    tools: tools === 'unknown' ? undefined : tools === 'none' ? [] : declaredTools,
    delivery,
    ...(toolCallBytes !== null && { limits: { toolCallBytes } }),
  }
}

function refusal({ dialect }: Client, failure: Failure): Received {
  const { errors } = dialects[dialect]
  return { status: errors.status(failure), is: 'whole', body: JSON.stringify(errors.body(failure, 'req_1')) }
}
