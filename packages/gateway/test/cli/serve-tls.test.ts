import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { ask } from '../server/ask.ts'
import { authority, certificate, expiredCertificate, privateKey } from '../server/certificates.ts'
import { startProxy, stopProxies } from '../upstream/scripted-proxy.ts'
import { completion, json } from '../server/scripted-upstream.ts'
import { startProgram, stopPrograms } from './running-program.ts'

const servers: Server[] = []

afterEach(() => {
  stopPrograms()
  stopProxies()
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function secureUpstream(cert: string): Promise<number> {
  const server = createServer({ key: privateKey, cert }, (request, response) => {
    request.resume().on('end', () => json(response, 200, completion('hello')))
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function authorityFile(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'dragoman-')), 'authority.pem')
  await writeFile(file, authority)
  return file
}

async function answerFrom(url: string, env: Readonly<Record<string, string>>) {
  const { address } = await startProgram(['--port', '0', '--upstream', url], { env })
  return ask(address, 'openai', { stream: false })
}

describe('an upstream with a certificate of an authority of our own', () => {
  it('is trusted where NODE_EXTRA_CA_CERTS names the authority, and not otherwise', async () => {
    const port = await secureUpstream(certificate)
    const url = `https://localhost:${port}/v1`
    const trusting = { NODE_EXTRA_CA_CERTS: await authorityFile() }
    expect(await answerFrom(url, trusting)).toMatchObject({ status: 200, text: 'hello' })
    expect(await answerFrom(url, {})).toMatchObject({ status: 502, error: { code: 'upstream_tls' } })
  })

  it('is not trusted any more when its certificate has expired', async () => {
    const port = await secureUpstream(expiredCertificate)
    const trusting = { NODE_EXTRA_CA_CERTS: await authorityFile() }
    expect(await answerFrom(`https://localhost:${port}/v1`, trusting)).toMatchObject({
      status: 502,
      error: { code: 'upstream_tls' },
    })
  })

  it('is reached through a tunnel of the proxy, which sees no more than its name', async () => {
    const port = await secureUpstream(certificate)
    const proxy = await startProxy(port)
    const env = { NODE_EXTRA_CA_CERTS: await authorityFile(), HTTPS_PROXY: proxy.url }
    const answer = await answerFrom(`https://models.example:${port}/v1`, env)
    expect(answer).toMatchObject({ status: 200, text: 'hello' })
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT models.example:${port}`]))
  })

  it('must prove its name through a proxy too', async () => {
    const port = await secureUpstream(certificate)
    const proxy = await startProxy(port)
    const env = { NODE_EXTRA_CA_CERTS: await authorityFile(), https_proxy: proxy.url }
    const answer = await answerFrom(`https://other.example:${port}/v1`, env)
    expect(answer).toMatchObject({ status: 502, error: { code: 'upstream_tls' } })
  })
})
