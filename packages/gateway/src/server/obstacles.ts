import { type ConversationRequest, dialects } from '@dragoman/core'
import type { Refusal } from '../base/refusal.ts'
import { styleOf } from '../exchange/model-style.ts'
import type { Plan } from '../exchange/plan.ts'
import { tooLongForSilence } from '../exchange/silent-cut.ts'
import type { Place } from '../routing/routing.ts'
import type { RouteContext } from './answer-route.ts'

/** Tells the client why its request is not sent to an upstream. */
export type TellClient = () => void

/** Why a request cannot be sent to this upstream at all, whatever the upstream would say; null where it can. */
export function obstacleAt(
  place: Place,
  request: ConversationRequest,
  context: RouteContext,
  newAnswerId: () => string,
): TellClient | null {
  return threadsElsewhere(place, request, context) ?? serverToolsUnrun(place, request, context, newAnswerId)
}

/** The conversation is longer than a server that would tell nobody can read. */
export function obstacleIn(
  plan: Plan,
  request: ConversationRequest,
  { client }: RouteContext,
): TellClient | null {
  const failure = tooLongForSilence(request, plan)
  if (failure === null) return null
  return () => (request.stream ? client.refuseStream({ failure }) : client.refuse({ failure }))
}

/** The client left a part of the conversation with a server, and this one does not have it. */
function threadsElsewhere(
  { upstream }: Place,
  request: ConversationRequest,
  { client }: RouteContext,
): TellClient | null {
  const { threadField } = dialects[client.dialect].request
  if (threadField === null || upstream.dialect === client.dialect) return null
  return request.extra[threadField] === undefined ? null : () => client.refuse(noThreads(threadField))
}

/**
 * With a thread, a client leaves the conversation with the server and sends only what is new. The gateway keeps no
 * conversations. This error makes the SDK send the whole conversation.
 */
function noThreads(field: string): Refusal {
  return {
    failure: {
      kind: 'invalid-request',
      code: 'thread_unsupported_request',
      message: 'The gateway keeps no threads: send the whole conversation.',
      details: { error_code: 'thread_unsupported_request', unsupported: [field] },
    },
  }
}

/**
 * Answers in the place of an upstream that cannot run the only tools of a request. Asked all the same, a model would make
 * up what a search would have found.
 */
function serverToolsUnrun(
  { route, upstream }: Place,
  request: ConversationRequest,
  { client, config, log, upstreams }: RouteContext,
  newAnswerId: () => string,
): TellClient | null {
  const { serverTools } = dialects[client.dialect]
  const refused = serverTools?.refuse(request, { id: newAnswerId() }) ?? null
  if (serverTools === undefined || refused === null) return null
  const { server } = upstreams.about(upstream, route.model)
  const { signatures } = styleOf(request, route, upstream, config, server)
  const isVendor = server?.runsServerTools === true || signatures === 'checked' || signatures === undefined
  if (upstream.dialect === client.dialect && (serverTools.runBy === 'anyone' || isVendor)) return null
  return () => {
    const reason = 'Nobody runs it for this model; the client was told so, and no upstream was asked.'
    log.notes(refused.tools.map((type) => ({ kind: 'dropped', field: `tools (${type})`, reason })))
    if (refused.is === 'failure') {
      client.refuse({ failure: refused.failure })
      return
    }
    log.firstByte()
    log.finished('stop')
    if (request.stream) client.endStream(refused.text)
    else client.sendWhole(refused.text)
  }
}
