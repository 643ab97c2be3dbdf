import type { ServerResponse } from 'node:http'
import type { UpstreamListener } from '../upstream/client.ts'
import type { OpenRecording } from './exchange-recording.ts'

/** Records everything that is written to the client, and when the response closes. */
export function tapResponse(response: ServerResponse, recording: OpenRecording): void {
  tapWrites(response, (chunk) => recording.clientChunk(chunk))
  response.once('close', () => recording.end(response.headersSent ? response.statusCode : null))
}

/** Tells everything that is written to the client. */
export function tapWrites(response: ServerResponse, onChunk: (chunk: string | Uint8Array) => void): void {
  const write: unknown = Reflect.get(response, 'write')
  const end: unknown = Reflect.get(response, 'end')
  const passOn = (method: unknown, given: readonly unknown[]): unknown => {
    const [chunk] = given
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) onChunk(chunk)
    return typeof method === 'function' ? Reflect.apply(method, response, given) : undefined
  }
  const tappedWrite = (...given: unknown[]): boolean => passOn(write, given) === true
  const tappedEnd = (...given: unknown[]): ServerResponse => {
    passOn(end, given)
    return response
  }
  response.write = tappedWrite
  response.end = tappedEnd
}

/** Records everything that the upstream sends, before the listener gets it. */
export function tapUpstream(listener: UpstreamListener, recording: OpenRecording): UpstreamListener {
  return {
    onHeaders: (status, headers) => {
      recording.upstreamAnswer(status, headers['content-type'] ?? '')
      listener.onHeaders(status, headers)
    },
    onData: (chunk) => {
      recording.upstreamChunk(chunk)
      listener.onData(chunk)
    },
    onEnd: () => listener.onEnd(),
    onError: (fault) => {
      recording.upstreamFault(fault.code)
      listener.onError(fault)
    },
  }
}
