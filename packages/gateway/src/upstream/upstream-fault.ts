import { errors } from 'undici'

/** Why a call failed. The client is told a failure that depends on it. */
export interface UpstreamFault {
  readonly code: FaultCode
  /** Says more in words that any client may read: no address is in it. */
  readonly cause: string
  /** The server that was called, as `host:port`; null where the client may not learn it. */
  readonly address: string | null
  /** For the log: the address, and what the system said. */
  readonly message: string
  /** A kept connection died before a single byte of the answer came, so that the request can safely be sent again. */
  readonly isStaleSocket: boolean
}

export type FaultCode =
  | 'unreachable'
  /** This process has no file descriptor left for a connection. */
  | 'no-room'
  | 'tls'
  /** The connection was closed before an answer began. */
  | 'closed'
  /** What came is no answer in HTTP. */
  | 'not-http'
  | 'connect-timeout'
  | 'headers-timeout'
  | 'idle-timeout'
  | 'cut'
  | 'aborted'

/** The call that failed. */
export interface FailedCall {
  readonly address: string
  readonly hadHeaders: boolean
  /** The bytes that were read from the connection before it broke. */
  readonly bytesBefore: number
}

export function faultOf(error: Error, { address, hadHeaders, bytesBefore }: FailedCall): UpstreamFault {
  const said = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const { code, cause } = kindOf(error, said, hadHeaders)
  return {
    code,
    cause,
    address,
    message: `${address}: ${error.message === '' ? said : error.message}`,
    // A connection from which bytes were read before is a kept one.
    isStaleSocket: code === 'closed' && bytesBefore > 0,
  }
}

type Kind = Pick<UpstreamFault, 'code' | 'cause'>

function kindOf(error: Error, said: string, hadHeaders: boolean): Kind {
  const late = timeouts[said]
  if (late !== undefined) return { code: late, cause: error.message }
  if (said === 'UND_ERR_ABORTED') return { code: 'aborted', cause: 'it was not wanted any more' }
  if (hadHeaders) return { code: 'cut', cause: 'the connection broke' }
  if (error instanceof errors.HTTPParserError) return notHttp('what it sends is not HTTP')
  const known = kinds[said]
  if (known !== undefined) return known
  if (/TLS|CERT|SSL|EPROTO|LEAF_SIGNATURE/.test(said)) return tls('its certificate is not accepted')
  return unreachable('no connection could be made')
}

/** These errors are ours, and their messages name no address. */
const timeouts: Readonly<Record<string, FaultCode>> = {
  [new errors.ConnectTimeoutError().code]: 'connect-timeout',
  [new errors.HeadersTimeoutError().code]: 'headers-timeout',
  [new errors.BodyTimeoutError().code]: 'idle-timeout',
}

const unreachable = (cause: string): Kind => ({ code: 'unreachable', cause })
const tls = (cause: string): Kind => ({ code: 'tls', cause })
const notHttp = (cause: string): Kind => ({ code: 'not-http', cause })
const closed: Kind = { code: 'closed', cause: 'the connection was closed' }
const noRoom: Kind = { code: 'no-room', cause: 'too many files are open' }
const plain = tls('it does not speak TLS; for plain HTTP its address begins with http://')
const selfSigned = tls('its certificate is self-signed')
const unknownAuthority = tls('its certificate is from an authority that is not known here')

/** What the codes of the system mean for a call that got no answer. */
const kinds: Readonly<Record<string, Kind>> = {
  ECONNREFUSED: unreachable('connection refused, nothing listens there'),
  ENOTFOUND: unreachable('there is no such name (DNS)'),
  EAI_AGAIN: unreachable('its name could not be looked up (DNS)'),
  EHOSTUNREACH: unreachable('there is no way to that host'),
  ENETUNREACH: unreachable('there is no way to that network'),
  ETIMEDOUT: unreachable('the system gave up connecting'),
  FORBIDDEN_ADDRESS: unreachable('it is a link-local, unspecified or otherwise refused address'),
  PROXY_REFUSED: unreachable('the proxy in front of it refused the connection'),
  EMFILE: noRoom,
  ENFILE: noRoom,
  UND_ERR_SOCKET: closed,
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_HEADERS_OVERFLOW: notHttp('its headers are too long'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: notHttp('its length is not the one that it told'),
  ERR_ASSERTION: notHttp('what it sends is not HTTP'),
  ERR_SSL_WRONG_VERSION_NUMBER: plain,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: plain,
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_HAS_EXPIRED: tls('its certificate has expired'),
  CERT_NOT_YET_VALID: tls('its certificate is not valid yet'),
  ERR_TLS_CERT_ALTNAME_INVALID: tls('its certificate is for another name'),
}
