import { type ConversationRequest, dialects, type Failure, responsesWithoutCall } from '@dragoman/core'
import { breathe } from '../base/in-turns.ts'
import { parseBody, withoutByteOrderMark } from '../base/json-body.ts'
import { LONG_BODY, parseLongBody } from '../base/read-long-json.ts'
import { readBody } from '../base/read-body.ts'
import type { ReceivedBody } from '../exchange/plan.ts'
import type { OpenRecording } from '../recorder/exchange-recording.ts'
import { lateBody, noRoomForBody } from './refusals.ts'
import type { RouteContext } from './route-context.ts'
import { askedAt } from './route-table.ts'

/** A request that was read. */
export interface ReadRequest {
  readonly request: ConversationRequest
  readonly received: ReceivedBody
}

/** A longer name is no model's. It would stand in the log and in every error about it. */
const LONGEST_MODEL = 256

/** Reads and decodes the request. Where that fails, the client is told why and the result is undefined. */
export async function readRequest(
  context: RouteContext,
  recording?: OpenRecording,
): Promise<ReadRequest | undefined> {
  const { request, client, config, log, arrival } = context
  const { bodyBytes, jsonDepth, jsonValues, tools } = config.limits
  const { share } = arrival
  if (arrival.awaitsContinue && Number(request.headers['content-length'] ?? '0') <= bodyBytes) {
    client.response.writeContinue()
  }
  const body = await readBody(request, { limit: bodyBytes, longest: config.timeouts.clientBody, share })
  if (body.is === 'gone') return undefined
  if (body.is === 'late') {
    client.refuse(lateBody)
    return undefined
  }
  if (body.is === 'no-room') {
    client.refuse(noRoomForBody)
    return undefined
  }
  if (body.is === 'too-large') {
    client.refuse({
      failure: failure('too-large', 'request_too_large', `The body is larger than ${bodyBytes} bytes.`),
    })
    return undefined
  }
  const crowded = arrival.takePlace()
  if (crowded !== null) {
    client.refuse(crowded)
    return undefined
  }
  log.received(body.bytes.length, config.warnings.conversationBytes)
  const bytes = withoutByteOrderMark(body.bytes)
  recording?.clientRequest(bytes)
  log.shown?.clientRequest(bytes)
  const shape = { depth: jsonDepth, values: jsonValues }
  const isLong = bytes.length >= LONG_BODY
  const json = isLong ? await parseLongBody(bytes, shape) : parseBody(bytes.toString('utf8'), shape)
  if (json.is === 'invalid') {
    client.refuse({ failure: failure('invalid-request', 'invalid_json', json.message) })
    return undefined
  }
  if (isLong) await breathe()
  const { request: requests } = dialects[client.dialect]
  const decoded = requests.decode(withNamedItems(json.value, context), askedAt(request.url ?? ''))
  if ('error' in decoded) {
    const { field, message, code } = decoded.error
    const unnamed = failure('invalid-request', 'invalid_request', message)
    const wrong = code === undefined ? unnamed : { ...unnamed, code }
    client.refuse({ failure: field === 'body' ? wrong : { ...wrong, field } })
    return undefined
  }
  if (decoded.request.model.length > LONGEST_MODEL) {
    const message = `The name of the model is longer than ${LONGEST_MODEL} characters.`
    client.refuse({ failure: { ...failure('invalid-request', 'invalid_request', message), field: 'model' } })
    return undefined
  }
  if (decoded.request.tools.length > tools) {
    const message = `There are more than ${tools} tools (limits.tools).`
    client.refuse({ failure: { ...failure('invalid-request', 'invalid_request', message), field: 'tools' } })
    return undefined
  }
  log.asked(decoded.request)
  log.notes(decoded.notes)
  const [orphan] = config.strictHistory ? responsesWithoutCall(decoded.request.contents) : []
  if (orphan !== undefined) {
    const message = `There is a tool result for "${orphan.callId}", but no call with this id.`
    client.refuse({
      failure: { ...failure('invalid-request', 'unknown_tool_call', message), field: 'messages' },
    })
    return undefined
  }
  return { request: decoded.request, received: { bytes, json: json.value } }
}

/** The body with what the client names in it, as far as it is kept. */
function withNamedItems(body: unknown, { client, items, log }: RouteContext): unknown {
  const { references } = dialects[client.dialect].request
  if (items === undefined || references === undefined) return body
  return references.resolve(body, (id) => items.find(log.key, id))
}

function failure(kind: Failure['kind'], code: string, message: string): Failure {
  return { kind, code, message }
}
