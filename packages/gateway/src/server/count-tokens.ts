import { type ConversationRequest, dialectIds, dialects, type RoutePattern, takesOf } from '@dragoman/core'
import { sendJson } from '../base/send.ts'
import { matchModel, type ModelRoute } from '../config/match-model.ts'
import { estimateTokens } from '../exchange/estimate-tokens.ts'
import { styleOf } from '../exchange/model-style.ts'
import { mayUse } from '../quotas/models-of-key.ts'
import { basePath } from '../upstream/upstream-request.ts'
import { readRequest } from './read-request.ts'
import type { RouteContext } from './route-context.ts'
import { modelNotForKey, modelNotFound } from './refusals.ts'

/** A client waits for this number before it asks for an answer. */
const COUNT_MS = 2000

type CountRoute = Extract<RoutePattern, { serves: 'token-count' }>

/** A request for a number of tokens. Where the server can count, it is asked; otherwise the number is an estimate. */
export async function countTokens(
  context: RouteContext,
  bodyWith: (tokens: number) => object,
): Promise<void> {
  const { client, config } = context
  const read = await readRequest(context)
  if (read === undefined) return
  const { request } = read
  const route = matchModel(config, request.model)
  if (route === undefined || !mayUse(context.key, request.model)) {
    client.refuse(route === undefined ? modelNotFound(request.model) : modelNotForKey(request.model))
    return
  }
  const tokens = (await countedAt(context, request, route)) ?? estimateTokens(request)
  sendJson(client.response, 200, bodyWith(tokens))
}

/** What the server of the model counts; undefined where it cannot, or does not answer in time. */
async function countedAt(
  { client, config, upstreams }: RouteContext,
  request: ConversationRequest,
  route: ModelRoute,
): Promise<number | undefined> {
  if (route.upstream === 'simulator') return undefined
  const { upstream, model } = route
  const { server, version } = upstreams.about(upstream, model)
  if (server?.countsTokens !== true) return undefined
  const counting = countingDialect()
  if (counting === undefined) return undefined
  const { format, family, signatures } = styleOf(request, route, upstream, config, server)
  const { body } = dialects[counting.dialect].request.encode(request, {
    model,
    format,
    family,
    signatures,
    sameDialect: client.dialect === counting.dialect,
    demandsReasoning: false,
    ...takesOf(server, model, version),
  })
  const { stream: _, max_tokens: __, ...question } = body
  const path = basePath(upstream) + counting.route.path.replace(/^\/v1/, '')
  const reply = await upstreams.ask(upstream, { path, body: question }, COUNT_MS)
  return reply.is === 'json' ? counting.route.read(reply.json) : undefined
}

/** The dialect that has a route for counting. Servers of other dialects that can count answer there too. */
function countingDialect() {
  for (const dialect of dialectIds) {
    const route = dialects[dialect].http.routes.find(
      (each): each is CountRoute => each.serves === 'token-count',
    )
    if (route !== undefined) return { dialect, route }
  }
  return undefined
}
