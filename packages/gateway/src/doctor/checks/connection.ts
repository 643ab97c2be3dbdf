import { entriesIn } from '@dragoman/core'
import { answerPath, basePath, headersFor } from '../../upstream/upstream-request.ts'
import { type Exchange, exchange, isPage, jsonIn, spoken } from '../http.ts'
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
  const listed = await patient.list()
  const { status, fault, duration, body } = listed
  const { host, protocol, port } = new URL(patient.upstream.url)
  if (fault !== null && status === 0) return unreachable(patient, listed)
  if (/http request (?:was sent )?to (?:an )?https/i.test(body)) {
    return fail(`${host} speaks HTTPS, and was asked in plain HTTP`, 'Write https:// in the address.')
  }
  if (isLoading(listed)) return stillLoading()
  const better = status === 404 ? await betterAddress(patient) : undefined
  if (better !== undefined) {
    const { pathname } = new URL(patient.upstream.url)
    return fail(`${host} has nothing at ${pathname}`, `Write ${better}, where it lists its models.`)
  }
  if (isPage(listed)) {
    const hint = port === '' && protocol === 'http:' ? ' The port may be missing, too.' : ''
    return fail(
      `${host} answered with a web page`,
      `This is not the address of an API. Most servers have it under /v1.${hint}`,
    )
  }
  if (status >= 300 && status < 400) {
    return fail(
      `${host} answered with a redirect to ${patient.redact(listed.headers.location ?? 'elsewhere')}`,
      'Redirects are not followed: write the address to which it leads.',
    )
  }
  return ok(`${host} answered in ${Math.round(duration)} ms`)
}

/** A server that is not ready says so with 503, and most say why. */
export function isLoading({ status, body }: Pick<Exchange, 'status' | 'body'>): boolean {
  return status === 503 && /\b(?:loading|not loaded|not ready|starting|warming|initiali[sz]ing)\b/i.test(body)
}

export function stillLoading(): Finding {
  return fail('the server is still loading its model', 'Try again in a while.')
}

/**
 * The address at which the same host lists models, where the given path has nothing. Another server may have the rest
 * of a host that is shared, so it is asked without the key: that it wants one proves enough.
 */
async function betterAddress(patient: Patient): Promise<string | undefined> {
  // Some servers answer without having a list of models.
  if (!(await refusesAnswers(patient))) return undefined
  const { upstream, line } = patient
  const { origin } = new URL(upstream.url)
  const base = basePath(upstream)
  const paths = new Set([base.replace(/\/models$/, ''), `${base}/v1`, '/v1'])
  paths.delete(base)
  const answers = await Promise.all([...paths].map((path) => listAt(line, path)))
  const found = [...paths].find((_, at) => answers[at] === true)
  return found === undefined ? undefined : origin + found
}

async function refusesAnswers({ upstream, line, model }: Patient): Promise<boolean> {
  const path = answerPath(upstream, model, false)
  const headers = headersFor(upstream, false)
  const { status } = await exchange(line, { path, method: 'POST', headers, body: '{}' })
  return status === 404
}

async function listAt(line: Patient['line'], path: string): Promise<boolean> {
  const headers = { accept: 'application/json' }
  const answer = await exchange(line, { path: `${path}/models`, method: 'GET', headers, body: null })
  return answer.status === 401 || (answer.status === 200 && entriesIn(jsonIn(answer)) !== null)
}

/** What to do about a connection that did not come about, by what the system says of it. */
const advices: readonly { readonly says: RegExp; readonly advice: string }[] = [
  {
    says: /ENOTFOUND|EAI_AGAIN/,
    advice: 'Check the name in the address, and whether this machine can look it up.',
  },
  {
    says: /ECONNREFUSED/,
    advice: 'Start the server, or check the port. Inside a container 127.0.0.1 is the container itself.',
  },
  { says: /EHOSTUNREACH|ENETUNREACH/, advice: 'Check the address, the network and the VPN.' },
]

function unreachable({ upstream, line, redact }: Patient, { fault }: Exchange): Finding {
  const { host, protocol } = new URL(upstream.url)
  const seen = `${host}: ${redact(fault?.cause ?? 'no connection could be made')}`
  switch (fault?.code) {
    case 'tls':
      // A server that could be asked for its certificate is there.
      return isPlain(fault) ? fail(seen, 'Write http:// in the address.') : ok(`${host} takes connections`)
    case 'connect-timeout':
      return fail(
        `${host} did not answer within ${spoken(line.timeout)} (--timeout)`,
        'Check the address and the firewall.',
      )
    case 'headers-timeout':
      return fail(
        `${host} took the connection, and did not answer within ${spoken(line.timeout)} (--timeout)`,
        'It may be loading a model: wait, or give it more time with --timeout.',
      )
    case 'not-http':
    case 'closed':
      return fail(
        seen,
        protocol === 'http:' ? 'If it speaks HTTPS, write https:// in the address.' : 'Check the address.',
      )
    default: {
      const known = advices.find(({ says }) => says.test(fault?.message ?? ''))
      return fail(seen, known?.advice ?? 'Start the server, or check the address.')
    }
  }
}

function isPlain({ message }: NonNullable<Exchange['fault']>): boolean {
  return /wrong version number|packet length too long/.test(message)
}

async function tls(patient: Patient): Promise<Finding> {
  const { upstream, redact } = patient
  const { protocol, hostname } = new URL(upstream.url)
  const { fault } = await patient.list()
  if (fault?.code === 'tls') {
    return fail(
      `the server cannot prove who it is: ${redact(fault.cause)}`,
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
