import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { dragoman } from '../test/cli/run-cli.ts'
import { authority, certificate, privateKey } from '../test/server/certificates.ts'
import { startRedis, stopRedis } from './redis-server.ts'

let folder = ''

afterEach(async () => {
  await stopRedis()
  await rm(folder, { recursive: true })
})

it('rediss:// speaks TLS, and takes no certificate that nobody vouches for', async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-tls-'))
  const file = (name: string): string => join(folder, name)
  await Promise.all([
    writeFile(file('authority.pem'), authority),
    writeFile(file('certificate.pem'), certificate),
    writeFile(file('key.pem'), privateKey, { mode: 0o600 }),
  ])
  // The plain port is one more; this one, from the pool of ports that programs get, is free for a moment at least.
  const plain = await startRedis()
  const port = Number(new URL(plain.url).port)
  await plain.stop()
  const files = {
    '--tls-cert-file': 'certificate.pem',
    '--tls-key-file': 'key.pem',
    '--tls-ca-cert-file': 'authority.pem',
  }
  const named = Object.entries(files).flatMap(([option, name]) => [option, file(name)])
  await startRedis('--tls-port', String(port), '--tls-auth-clients', 'no', ...named)
  const settings = { store: `rediss://localhost:${port}/0`, storeFailure: 'closed' }
  await writeFile(file('dragoman.yaml'), JSON.stringify(settings))
  const check = (env: Record<string, string>) =>
    dragoman(['check', '--config', file('dragoman.yaml')], { env })
  const known = await check({ NODE_EXTRA_CA_CERTS: file('authority.pem') })
  expect([known.code, known.stderr]).toEqual([0, ''])
  const unknown = await check({})
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/store: .*certificate/)])
})
