import { defaultDialect, dialectIds, type FormatId, formatIds, serverIds } from '@dragoman/core'
import { z } from 'zod'
import {
  money,
  duration,
  flag,
  formatName,
  formatNameOrAuto,
  headerNameFault,
  headerValueFault,
  listOf,
  mapOf,
  oneOf,
  says,
  section,
  text,
  thinking,
  wholeNumber,
} from './schema-parts.ts'
import {
  clientKeyFault,
  gatewayField,
  hostFault,
  hostNameFault,
  networkFault,
  originFault,
  storeFault,
  upstreamNameFault,
} from './faults.ts'
import { defaultPort } from './addresses.ts'
import { upstreamUrlFault } from './upstream-url.ts'

const listen = section({
  host: text(hostFault).prefault('127.0.0.1').describe('The address to listen on.'),
  port: wholeNumber(0, 65_535).prefault(defaultPort).describe('The port to listen on; 0 picks a free one.'),
  allowedHosts: listOf(text(hostNameFault))
    .prefault([])
    .describe('Further names that a request may have in its Host header, without port.'),
  allowedOrigins: listOf(text(originFault))
    .prefault([])
    .describe('Browser origins that may call the gateway, such as https://app.example.'),
  trustedProxies: listOf(text(networkFault))
    .prefault([])
    .describe('Proxies whose X-Forwarded-For tells the address of a client: addresses or networks.'),
})

const clientKey = section({
  name: text().describe('What the key is called in logs.'),
  sha256: text(clientKeyFault)
    .transform((digest) => digest.toLowerCase())
    .describe('The SHA-256 of the key, as 64 hexadecimal digits.'),
  inspector: flag()
    .prefault(false)
    .describe('Whether the key opens the inspector too, which shows all conversations.'),
  models: listOf(text())
    .min(1, { error: 'names no model: list patterns such as "claude-*", or leave it out for all models' })
    .optional()
    .describe('The names that the key may ask for; * stands for any characters. Default: all.'),
  limits: section({
    requestsPerMinute: wholeNumber(1).optional().describe('Requests in sixty seconds; more are a 429.'),
    tokensPerMinute: wholeNumber(1)
      .optional()
      .describe(
        'Tokens of prompts and answers in sixty seconds, without those from a cache; more are a 429.',
      ),
    concurrent: wholeNumber(1).optional().describe('Requests of the key at one time; more are a 429.'),
  })
    .optional()
    .describe('How much the key may ask.'),
  budget: section({
    usd: money().describe('US dollars.'),
    per: oneOf(['day', 'month']).describe('When it begins anew: at midnight, or on the first, in UTC.'),
  })
    .optional()
    .describe('What the key may spend, by the prices.'),
})

const price = section({
  input: money({ min: 0 }).describe('US dollars for a million tokens of prompts.'),
  cacheRead: money({ min: 0 })
    .optional()
    .describe('The same for those that came from a cache. Default: as input.'),
  output: money({ min: 0 }).describe('The same for tokens of answers.'),
})

const upstream = section({
  url: text(upstreamUrlFault).describe('The base address, to which the route of the dialect is appended.'),
  dialect: oneOf(dialectIds).prefault(defaultDialect).describe('What the upstream speaks.'),
  apiKey: text(headerValueFault).optional().describe('The key that is sent to the upstream.'),
  headers: mapOf(text(headerNameFault), text(headerValueFault))
    .prefault({})
    .describe('Further headers that are sent to the upstream.'),
  body: mapOf(text(gatewayField), z.unknown())
    .prefault({})
    .describe('Further fields that every request to the upstream gets.'),
  kind: oneOf(['auto', 'other', ...serverIds])
    .prefault('auto')
    .describe('Which server it is. auto: its address tells, or it is asked. other: none of these.'),
  parse: oneOf(['auto', 'server', 'ours'])
    .prefault('auto')
    .describe('Who reads the calls in what the model writes: the server, or the gateway from its text.'),
  sessionHeader: text(headerNameFault)
    .optional()
    .describe(
      'The header in which it is told which conversation a request belongs to. Default: as its kind wants it.',
    ),
})

const ownTimeouts = section({
  connect: duration().optional(),
  headers: duration().optional(),
  idle: duration().optional(),
  finishGrace: duration({ min: 0 }).optional(),
})

/** One upstream in a list of them. What it says takes the place of what its rule says. */
const listedUpstream = section({
  name: text().describe('A name under upstreams.'),
  model: text().optional().describe('What this upstream calls the model.'),
  format: formatNameOrAuto().optional(),
  tools: oneOf(['native', 'prompt']).optional(),
  startsInReasoning: flag().optional(),
  window: wholeNumber(256).optional(),
  maxTokens: wholeNumber(1).optional(),
  thinking: thinking().optional(),
  timeouts: ownTimeouts.optional(),
}).meta({ id: 'listedUpstream' })

const oneUpstream = z.union([text(), listedUpstream], {
  error: says('must be the name of an upstream, or { name: …, model: … }'),
})

const upstreamOrder = z.union(
  [
    text(),
    listedUpstream,
    listOf(
      z.union([oneUpstream, listOf(oneUpstream)], {
        error: says('must be the name of an upstream, { name: …, model: … }, or a list of these: a pool'),
      }),
    ),
  ],
  { error: says('must be the name of an upstream, or a list of names and pools') },
)

const model = section({
  match: text().describe('The name that a client asks for; * stands for any characters.'),
  upstream: upstreamOrder.describe(
    'The upstream that answers; or a list that is tried in turn, in which a list is a pool of equals.',
  ),
  model: text().optional().describe('What the upstream calls the model. Default: what the client asked for.'),
  format: formatNameOrAuto().prefault('auto').describe('How the model writes tool calls.'),
  tools: oneOf(['native', 'prompt'])
    .prefault('native')
    .describe('How the upstream is told about the tools: in fields of their own, or in the prompt.'),
  startsInReasoning: flag()
    .optional()
    .describe('Whether the prompt template opens the reasoning, so that answers begin inside it.'),
  window: wholeNumber(256)
    .optional()
    .describe('How many tokens of prompt and answer together the upstream holds. Default: what it says.'),
  maxTokens: wholeNumber(1)
    .optional()
    .describe('The longest answer in tokens; a client that asks for more gets this.'),
  thinking: thinking().prefault('auto').describe('How much the model thinks. auto: as the client asks.'),
  timeouts: ownTimeouts.prefault({}).describe('Time-outs of this model, in place of the common ones.'),
})

const routing = section({
  retries: wholeNumber(0, 100)
    .prefault(2)
    .describe('On how many further upstreams a request is tried before its client hears of a failure.'),
  retryWithin: duration().prefault('20s').describe('How long after the first try another may begin.'),
  outAfter: wholeNumber(1).prefault(5).describe('Failures in a row that take an upstream out.'),
  outFor: duration().prefault('30s').describe('How long it is left alone; then one request tries it.'),
  balance: oneOf(['affinity', 'least-busy', 'round-robin'])
    .prefault('affinity')
    .describe('Which upstream of a pool is asked. affinity: the one that knows the conversation.'),
})

const marker = z.union([text(), listOf(text()).min(1)], { error: says('must be a text or a list of texts') })

const formatSettings = section({
  markers: mapOf(text(), marker)
    .optional()
    .describe('New texts for markers that a vendor changed, by their names.'),
  toolCallBytes: wholeNumber(1).optional().describe('limits.toolCallBytes for this format.'),
})
  .meta({ id: 'formatSettings' })
  .optional()

const formats = section({
  overrides: mapOf(text(), formatName())
    .prefault({})
    .describe('The formats of models whose names do not tell them; * stands for any characters.'),
  ...perFormat(),
})

const limits = section({
  bodyBytes: wholeNumber(1).prefault(33_554_432).describe('The body of a request; more is a 413.'),
  bodiesBytes: wholeNumber(1)
    .prefault(268_435_456)
    .describe('The bodies of all requests under way together; more is a 503.'),
  toolCallBytes: wholeNumber(1).prefault(4_194_304).describe('What the parser may hold of one call.'),
  overflow: oneOf(['error', 'flush'])
    .prefault('error')
    .describe('Beyond toolCallBytes: an error, or what is held as text.'),
  headerBytes: wholeNumber(1024).prefault(16_384).describe('All headers of a request; more is a 431.'),
  jsonDepth: wholeNumber(1, 10_000).prefault(128).describe('Nesting in a request; more is a 400.'),
  jsonValues: wholeNumber(1000)
    .prefault(100_000)
    .describe('Objects, lists, members and items in a request, all together; more is a 400.'),
  tools: wholeNumber(1).prefault(2048).describe('Tools in a request; more is a 400.'),
  lineBytes: wholeNumber(1024).prefault(8_388_608).describe('One line or event of an upstream stream.'),
  responseBytes: wholeNumber(1024).prefault(67_108_864).describe('A whole answer of an upstream.'),
  concurrent: wholeNumber(1).prefault(1000).describe('Requests at one time; more are a 503.'),
  authFailuresPerMinute: wholeNumber(1)
    .prefault(20)
    .describe('Wrong keys from one address in a minute; more are a 429.'),
})

const timeouts = section({
  connect: duration().prefault('10s').describe('To connect to an upstream.'),
  headers: duration().prefault('600s').describe('Until an upstream begins to answer.'),
  idle: duration().prefault('300s').describe('Between two bytes of an upstream.'),
  finishGrace: duration({ min: 0 })
    .prefault('5s')
    .describe('After the finish reason, for usage and the end.'),
  clientHeaders: duration().prefault('15s').describe('For the headers of a request.'),
  clientBody: duration().prefault('60s').describe('For the body of a request.'),
  clientStall: duration()
    .prefault('120s')
    .describe('While the client takes nothing of what is there for it.'),
  keepAlive: duration().prefault('90s').describe('How long an idle connection of a client stays open.'),
  drain: duration({ min: 0 }).prefault('5s').describe('From SIGTERM to the end.'),
  drainGrace: duration({ min: 0 })
    .optional()
    .describe('After SIGTERM, within drain: new requests are served while balancers learn of it.'),
  ping: duration().prefault('15s').describe('Silence towards a client before it gets a sign of life.'),
})

const record = section({
  dir: text().prefault('./recordings').describe('The folder for recordings.'),
  maxBytes: wholeNumber(1).prefault(104_857_600).describe('The size of all recordings together.'),
  maxAge: duration({ max: Number.MAX_SAFE_INTEGER }).prefault('7d').describe('How long recordings are kept.'),
})

const inspector = section({
  enabled: flag()
    .optional()
    .describe('Whether /inspector is served. Default: on a loopback address, yes; elsewhere, no.'),
  memory: wholeNumber(0)
    .prefault(33_554_432)
    .describe('How many bytes of exchanges are kept in memory to be looked at.'),
})

const log = section({
  level: oneOf(['debug', 'info', 'warn', 'error']).prefault('info').describe('The least that is logged.'),
  file: text().nullable().prefault(null).describe('A file for the log, instead of standard error.'),
})

/** The configuration as users write it. */
export const configSchema = section({
  listen: listen.prefault({}).describe('Where the gateway listens, and for whom.'),
  keys: listOf(clientKey).prefault([]).describe('Keys of clients. With one or more, every client needs one.'),
  prices: mapOf(text(), price)
    .prefault({})
    .describe('What models cost, by a pattern of the name that the upstream has; the first match counts.'),
  store: text(storeFault)
    .optional()
    .describe('Where use is counted: memory, for this process alone, or redis://HOST:PORT/N for several.'),
  storeFailure: oneOf(['open', 'closed'])
    .prefault('open')
    .describe('While the store is gone: open counts in memory, closed refuses with 503.'),
  upstreams: mapOf(text(upstreamNameFault), upstream).prefault({}).describe('The servers that run models.'),
  models: listOf(model).prefault([]).describe('Which upstream answers for which name; the first match wins.'),
  routing: routing.prefault({}).describe('How requests are spread over several upstreams.'),
  formats: formats.prefault({}).describe('Settings of single formats.'),
  delivery: oneOf(['incremental', 'complete'])
    .prefault('incremental')
    .describe('Calls as they are written, or each when it is whole and valid.'),
  reasoning: section({
    foreign: oneOf(['drop', 'text'])
      .prefault('drop')
      .describe('What becomes of reasoning that a model of another family wrote.'),
  })
    .prefault({})
    .describe('Reasoning in the history.'),
  responses: section({
    itemCache: section({
      items: wholeNumber(1).prefault(10_000).describe('How many items are kept.'),
      bytes: wholeNumber(1024).prefault(67_108_864).describe('How large they are together.'),
    })
      .optional()
      .describe('Keep what answers held in memory, for clients that name it. Off unless it is here.'),
  })
    .prefault({})
    .describe("Clients of OpenAI's Responses."),
  strictHistory: flag()
    .prefault(false)
    .describe('Refuse a result for an unknown call instead of repairing it.'),
  warnings: section({
    conversationBytes: wholeNumber(0)
      .prefault(0)
      .describe('Log a warning for a conversation larger than this; 0 never does.'),
  })
    .prefault({})
    .describe('When to warn.'),
  limits: limits.prefault({}).describe('How much is too much.'),
  timeouts: timeouts.prefault({}).describe('How long is too long.'),
  record: record.optional().describe('Record every exchange. Off unless it is here.'),
  inspector: inspector.prefault({}).describe('The page that shows what went through.'),
  log: log.prefault({}).describe('The log.'),
  metrics: flag().prefault(true).describe('Whether /metrics is served.'),
})

export type ParsedConfig = z.output<typeof configSchema>

type PerFormat = Record<FormatId, typeof formatSettings>

function perFormat(): PerFormat {
  const shape = Object.fromEntries(formatIds.map((id) => [id, formatSettings]))
  if (!isPerFormat(shape)) throw new TypeError('a format has no settings')
  return shape
}

function isPerFormat(shape: Partial<PerFormat>): shape is PerFormat {
  return formatIds.every((id) => shape[id] !== undefined)
}
