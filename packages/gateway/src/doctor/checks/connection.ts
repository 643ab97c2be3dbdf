import { type Exchange, isPage } from '../http.ts'
import { type Check, fail, type Finding, note, ok, skipped } from '../finding.ts'
import type { Patient } from '../patient.ts'
import { ownWords } from '../read-answer.ts'

/** Whether anything answers, and whether it lets us in. */
export const connectionChecks: readonly Check[] = [
  { id: 'reach', title: 'reachable', needs: [], run: reach },
  { id: 'tls', title: 'TLS', needs: ['reach'], run: tls },
  { id: 'key', title: 'key', needs: ['reach', 'tls'], run: key },
]

async function reach(patient: Patient): Promise<Finding> {
  const exchange = await patient.list()
  const { status, fault, duration, body } = exchange
  const { host, protocol, port } = new URL(patient.upstream.url)
  if (fault !== null && status === 0) return unreachable(patient, exchange)
  if (/http request (?:was sent )?to (?:an )?https/i.test(body)) {
    return fail(`${host} speaks HTTPS, and was asked in plain HTTP`, 'Write https:// in the address.')
  }
  if (isPage(exchange)) {
    const hint = port === '' && protocol === 'http:' ? ' The port may be missing, too.' : ''
    return fail(
      `${host} answered with a web page`,
      `This is not the address of an API. Most servers have it under /v1.${hint}`,
    )
  }
  if (status >= 300 && status < 400) {
    return fail(
      `${host} answered with a redirect to ${patient.redact(exchange.headers.location ?? 'elsewhere')}`,
      'Redirects are not followed: write the address to which it leads.',
    )
  }
  return ok(`${host} answered in ${Math.round(duration)} ms`)
}

/** Why no connection came about, by what the system says of it. */
const faults: readonly { readonly says: RegExp; readonly seen: string; readonly advice: string }[] = [
  {
    says: /ENOTFOUND|EAI_AGAIN/,
    seen: 'there is no host of this name',
    advice: 'Check the name in the address, and whether this machine can look it up.',
  },
  {
    says: /ECONNREFUSED/,
    seen: 'nothing listens on this port',
    advice: 'Start the server, or check the port. Inside a container 127.0.0.1 is the container itself.',
  },
  {
    says: /EHOSTUNREACH|ENETUNREACH/,
    seen: 'there is no way to this host',
    advice: 'Check the address, the network and the VPN.',
  },
  {
    says: /wrong version number|packet length too long|EPROTO/,
    seen: 'it speaks plain HTTP, and was asked in HTTPS',
    advice: 'Write http:// in the address.',
  },
]

function unreachable({ upstream, line, redact }: Patient, { fault }: Exchange): Finding {
  const { host } = new URL(upstream.url)
  const words = redact(fault?.message ?? '')
  const known = faults.find(({ says }) => says.test(words))
  if (known !== undefined) return fail(`${host}: ${known.seen}`, known.advice)
  const told = words === '' ? '' : ` (${words})`
  switch (fault?.code) {
    case 'tls':
      return ok(`${host} takes connections`)
    case 'connect-timeout':
      return fail(`${host} did not answer within ${line.timeout} ms`, 'Check the address and the firewall.')
    case 'headers-timeout':
      return fail(
        `${host} took the connection, and did not answer within ${line.timeout} ms`,
        'It may be loading a model: wait, or give it more time with --timeout.',
      )
    default:
      return fail(`${host} cannot be reached${told}`, 'Start the server, or check the address.')
  }
}

async function tls(patient: Patient): Promise<Finding> {
  const { upstream, redact } = patient
  const { protocol, hostname } = new URL(upstream.url)
  const { fault } = await patient.list()
  if (fault?.code === 'tls') {
    return fail(
      `the server could not prove who it is (${redact(fault.message)})`,
      'For a certificate of your own set NODE_EXTRA_CA_CERTS to the file of its authority.',
    )
  }
  if (protocol === 'https:') return ok('the certificate is good')
  const isNear = /^(?:localhost|127\.|\[::1\])/.test(hostname)
  return upstream.apiKey !== null && !isNear
    ? note('none: the key goes over the network in the clear', 'Put a proxy with TLS in front of the server.')
    : skipped('plain HTTP')
}

async function key(patient: Patient): Promise<Finding> {
  const { status, body } = await patient.list()
  if (status !== 401 && status !== 403) {
    return ok(patient.upstream.apiKey === null ? 'none is needed' : 'it is taken')
  }
  return keyRefused(patient, ownWords(body) ?? `status ${status}`)
}

export function keyRefused({ upstream, redact }: Patient, words: string): Finding {
  return upstream.apiKey === null
    ? fail(
        `a key is needed: ${redact(words)}`,
        'Put the key into an environment variable, and name it with --upstream-key-env NAME.',
      )
    : fail(
        `the key is refused: ${redact(words)}`,
        'Check the variable that holds it, and for whom the key is.',
      )
}
