import { createServer } from 'node:http'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { defaultPort } from '../../src/config/addresses.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { routes } from '../../src/server/route-table.ts'
import { accepted } from '../config/fake-world.ts'
import { at } from '../server/ask.ts'
import { configIn, deployFile, deployYaml, directive, milliseconds } from './deploy-files.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const dockerfile = deployFile('Dockerfile')
const deployment = deployYaml('kubernetes/deployment.yaml')
const pod = at(deployment, 'spec', 'template', 'spec')
const container = at(pod, 'containers', 0)
const compose = deployYaml('compose/compose.yaml')

/** The words of an instruction of the Dockerfile in its exec form. */
function execForm(instruction: string): string[] {
  const words: unknown = JSON.parse(
    new RegExp(`^\\s*${instruction} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? 'null',
  )
  if (!Array.isArray(words)) throw new Error(`${instruction} is not in its exec form`)
  return words.map(String)
}

function configInSecret() {
  const yaml = at(deployYaml('kubernetes/secret.yaml'), 'stringData', 'config.yaml')
  return configIn(
    String(yaml),
    { OPENROUTER_API_KEY: 'k' },
    Number(at(pod, 'volumes', 0, 'secret', 'defaultMode')),
  )
}

const composeConfig = () =>
  configIn(deployFile('compose/dragoman.yaml'), { DRAGOMAN_API_KEY: 'a-key-that-is-long-enough' }, 0o644)

const serviceConfig = () => configIn(deployFile('systemd/config.yaml'), {}, 0o640)

describe('every file in deploy/', () => {
  const files = readdirSync(`${root}deploy`, { recursive: true, encoding: 'utf8' })

  it.each(files.filter((name) => name.endsWith('.yaml')))('%s is YAML', (name) => {
    expect(deployYaml(name)).toBeTypeOf('object')
  })

  it.each([
    ['the secret of Kubernetes', configInSecret],
    ['compose', composeConfig],
    ['systemd', serviceConfig],
  ])('the configuration for %s is one that the gateway takes', async (_, read) => {
    const { listen } = await read()
    expect(listen).toMatchObject({
      port: defaultPort,
      allowedHosts: expect.arrayContaining(['gateway.example']),
    })
  })

  it('is spoken of in docs/deploy.md', () => {
    const docs = readFileSync(`${root}docs/deploy.md`, 'utf8')
    const names = files.filter((name) => /\.\w+$/.test(name) || name === 'Dockerfile')
    expect(names.filter((name) => !docs.includes(`deploy/${name}`))).toEqual([])
  })
})

describe('the image', () => {
  it('runs as a user with a number that is not root', () => {
    const users = [...dockerfile.matchAll(/^USER (.*)$/gm)].map(([, user]) => user)
    expect(users).toEqual(['1000:1000'])
  })

  it('holds nothing of the stages that build but the installed package', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
    const copied = [...last.matchAll(/^COPY (.*)$/gm)].map(([, from]) => from)
    expect(copied).toEqual(['--from=installed --chown=0:0 /app/node_modules /app/node_modules'])
    expect(last).not.toMatch(/^(?:RUN|ADD) /m)
  })

  it('starts without a shell, and is built where no script of a package runs', () => {
    expect(execForm('ENTRYPOINT')).toEqual(['node', '/app/node_modules/dragoman/bin/dragoman.js'])
    expect(existsSync(`${root}packages/gateway/bin/dragoman.js`)).toBe(true)
    expect(execForm('CMD')).toHaveLength(3)
    for (const [, installing] of dockerfile.matchAll(/npm ((?:ci|install|pack)[^&]*)/g)) {
      expect(installing).toContain('--ignore-scripts')
    }
  })

  it.each([
    [200, 0],
    [503, 1],
  ])('has a health check that ends a reply of %i with code %i', async (status, code) => {
    const asked: (string | undefined)[] = []
    const server = createServer((request, response) => {
      asked.push(request.url)
      response.writeHead(status).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const [program, ...args] = execForm('CMD')
    expect(program).toBe('node')
    const checked = await promisify(execFile)(process.execPath, args, { env: { DRAGOMAN_PORT: port } }).then(
      () => 0,
      (error: unknown) => at(error, 'code'),
    )
    expect(checked).toBe(code)
    expect(routes.filter(({ isOpen }) => isOpen).map(({ path }) => path)).toContain(asked[0])
    server.closeAllConnections()
    server.close()
  })

  it('has in its context what the build needs, and neither tests nor modules', () => {
    const rules = deployFile('Dockerfile.dockerignore').trim().split('\n')
    expect(rules[0]).toBe('**')
    for (const needed of [
      'package-lock.json',
      'packages/gateway/bin',
      'scripts/bundle.mjs',
      'packages/*/src',
    ]) {
      expect(rules).toContain(`!${needed}`)
    }
    expect(rules.filter((rule) => /test|node_modules|dist|\.git\b/.test(rule))).toEqual([])
  })
})

describe('Kubernetes', () => {
  const files = ['secret', 'deployment', 'service', 'disruption-budget', 'autoscaler'].map(
    (name) => `${name}.yaml`,
  )

  it('is given every file, and all speak of the same pods', () => {
    expect(at(deployYaml('kubernetes/kustomization.yaml'), 'resources')).toEqual(files)
    const labels = { 'app.kubernetes.io/name': 'dragoman' }
    expect(at(deployment, 'spec', 'template', 'metadata', 'labels')).toEqual(labels)
    expect(at(deployment, 'spec', 'selector', 'matchLabels')).toEqual(labels)
    expect(at(deployYaml('kubernetes/service.yaml'), 'spec', 'selector')).toEqual(labels)
    expect(at(deployYaml('kubernetes/disruption-budget.yaml'), 'spec', 'selector', 'matchLabels')).toEqual(
      labels,
    )
    const target = at(deployYaml('kubernetes/autoscaler.yaml'), 'spec', 'scaleTargetRef')
    expect(target).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: at(deployment, 'metadata', 'name'),
    })
  })

  it('reaches the gateway where it listens', async () => {
    const { listen } = await configInSecret()
    expect(at(container, 'ports', 0)).toEqual({ name: 'http', containerPort: listen.port })
    expect(at(deployYaml('kubernetes/service.yaml'), 'spec', 'ports', 0, 'targetPort')).toBe('http')
    expect(dockerfile).toContain(`EXPOSE ${listen.port}\n`)
    const name = at(deployYaml('kubernetes/service.yaml'), 'metadata', 'name')
    expect(listen.allowedHosts).toContain(name)
  })

  it.each([
    ['startupProbe', '/health/live'],
    ['livenessProbe', '/health/live'],
    ['readinessProbe', '/health/ready'],
  ])('has a %s at %s, which is open to it', (probe, path) => {
    expect(at(container, probe, 'httpGet')).toEqual({ path, port: 'http' })
    expect(routes.find((route) => route.path === path)).toMatchObject({ isOpen: true })
  })

  it('waits longer for the end of a gateway than its answers may take', async () => {
    const { timeouts } = await configInSecret()
    const pause = Number(at(container, 'lifecycle', 'preStop', 'sleep', 'seconds')) * 1000
    const longest = Number(at(pod, 'terminationGracePeriodSeconds')) * 1000
    expect(pause).toBeGreaterThan(Number(at(container, 'readinessProbe', 'periodSeconds')) * 1000)
    expect(longest).toBeGreaterThan(pause + timeouts.drain + 5000)
  })

  it('gives the gateway no rights, no token and no variables of services', () => {
    // DRAGOMAN_PORT of a service is an address, and the gateway would take it for its port.
    expect(pod).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false })
    expect(at(pod, 'securityContext')).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
    })
    expect(at(container, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('mounts the secret for the group of the process alone, where the image looks for it', () => {
    const { secret } = Object(at(pod, 'volumes', 0))
    expect(secret).toMatchObject({
      secretName: at(deployYaml('kubernetes/secret.yaml'), 'metadata', 'name'),
      defaultMode: 0o440,
    })
    expect(at(pod, 'securityContext', 'fsGroup')).toBe(at(pod, 'securityContext', 'runAsGroup'))
    expect(at(container, 'volumeMounts', 0, 'mountPath')).toBe('/etc/dragoman')
    expect(dockerfile).toContain('XDG_CONFIG_HOME=/etc ')
  })

  it('scales by a metric that the gateway has, and keeps enough of them', async () => {
    const autoscaler = at(deployYaml('kubernetes/autoscaler.yaml'), 'spec')
    const metric = at(autoscaler, 'metrics', 0, 'pods', 'metric', 'name')
    expect((await createMetrics('0').expose()).text).toContain(`# TYPE ${String(metric)} gauge`)
    const perPod = Number(at(autoscaler, 'metrics', 0, 'pods', 'target', 'averageValue'))
    expect(perPod).toBeLessThan((await configInSecret()).limits.concurrent)
    expect(at(autoscaler, 'minReplicas')).toBe(3)
    // A number of replicas in the deployment would be set back with every change of it.
    expect(at(deployment, 'spec', 'replicas')).toBeUndefined()
  })
})

describe('compose', () => {
  const services = at(compose, 'services')
  const gateways = ['gateway-1', 'gateway-2', 'gateway-3']

  it('has three gateways, nginx and a store, each of which the others find', () => {
    expect(Object.keys(Object(services))).toEqual([...gateways, 'nginx', 'redis'])
    const upstream = deployFile('compose/upstream.conf')
    const servers = [...upstream.matchAll(/^\s*server (\S+)/gm)].map(([, server]) => server)
    expect(servers).toEqual(gateways.map((name) => `${name}:${defaultPort}`))
  })

  it.each([...gateways, 'redis'])('%s has no rights, and does not run as root', (name) => {
    const service = at(services, name)
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      user: expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/),
    })
  })

  it('keeps what was counted through a restart of the store, and forgets nothing where that is full', async () => {
    const command = [at(services, 'redis', 'command')].flat().map(String)
    const valueOf = (flag: string): string | undefined => command[command.indexOf(flag) + 1]
    expect(valueOf('--appendonly')).toBe('yes')
    expect(valueOf('--maxmemory-policy')).toBe('noeviction')
    const [volume = '', place] = String(at(services, 'redis', 'volumes', 0)).split(':')
    expect(place).toBe('/data')
    expect(Object.keys(Object(at(compose, 'volumes')))).toContain(volume)
    const { accounting } = await composeConfig()
    expect(accounting?.store).toMatchObject({ is: 'redis' })
  })

  it('mounts files that are there, and waits for the end of a gateway', async () => {
    const mounted = ['gateway-1', 'nginx'].flatMap((name) =>
      [at(services, name, 'volumes')].flat().map(String),
    )
    const paths = mounted.map((volume) => volume.split(':')[0] ?? '').filter((path) => path !== './tls')
    expect(paths.filter((path) => !existsSync(`${root}deploy/compose/${path}`))).toEqual([])
    const { timeouts } = await composeConfig()
    const grace = milliseconds(String(at(services, 'gateway-1', 'stop_grace_period')))
    expect(grace).toBeGreaterThan(timeouts.drain + 5000)
  })
})

describe('the time-outs of a proxy', () => {
  const nginx = deployFile('nginx/dragoman.conf')
  const haproxy = deployFile('haproxy/haproxy.cfg')

  it('are longer than those of the gateway, which words its failures for the client', async () => {
    const { timeouts, limits } = await accepted()
    const silence = timeouts.headers + timeouts.idle
    expect(milliseconds(directive(nginx, 'proxy_read_timeout'))).toBeGreaterThan(silence)
    expect(milliseconds(directive(nginx, 'send_timeout'))).toBeGreaterThan(timeouts.clientStall)
    expect(milliseconds(directive(nginx, 'client_body_timeout'))).toBeGreaterThan(timeouts.clientBody)
    const body = Number(/^(\d+)m$/.exec(directive(nginx, 'client_max_body_size'))?.[1]) * 2 ** 20
    expect(body).toBeGreaterThan(limits.bodyBytes)
    expect(milliseconds(directive(haproxy, 'timeout server'))).toBeGreaterThan(silence)
    expect(milliseconds(directive(haproxy, 'timeout client'))).toBeGreaterThan(silence)
  })

  it('let the proxy close an idle connection before the gateway does', async () => {
    const { timeouts } = await accepted()
    for (const file of ['nginx/upstream.conf', 'compose/upstream.conf']) {
      expect(milliseconds(directive(deployFile(file), 'keepalive_timeout'))).toBeLessThan(timeouts.keepAlive)
    }
    const purge = /pool-purge-delay (\d+s)/.exec(haproxy)?.[1] ?? ''
    expect(milliseconds(purge)).toBeLessThan(timeouts.keepAlive)
  })

  it('go with answers that are passed on piece by piece, and with connections that are kept', () => {
    expect(directive(nginx, 'proxy_buffering')).toBe('off')
    expect(directive(nginx, 'gzip')).toBe('off')
    expect(directive(nginx, 'proxy_http_version')).toBe('1.1')
    expect(directive(nginx, 'proxy_set_header Connection')).toBe('""')
    expect(haproxy).toMatch(/^\s*option http-no-delay$/m)
    expect(haproxy).not.toContain('http-buffer-request')
  })

  it('go with names of sessions, some of which have an underscore', () => {
    expect(directive(nginx, 'underscores_in_headers')).toBe('on')
  })

  it('go with a check of health that is open', () => {
    const path = /http-check send meth GET uri (\S+)/.exec(haproxy)?.[1]
    expect(routes.find((route) => route.path === path)).toMatchObject({ isOpen: true })
  })
})

describe('the systemd unit', () => {
  const unit = deployFile('systemd/dragoman.service')
  const setting = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]

  it('waits longer for the end than answers may take', async () => {
    const { timeouts } = await serviceConfig()
    expect(milliseconds(setting('TimeoutStopSec') ?? '')).toBeGreaterThan(timeouts.drain + 5000)
  })

  it('has a user of its own, which sysusers makes, and no rights', () => {
    expect(deployFile('systemd/dragoman.sysusers')).toMatch(new RegExp(`^u ${setting('User')} - `, 'm'))
    expect(setting('CapabilityBoundingSet')).toBe('')
    expect(setting('NoNewPrivileges')).toBe('yes')
    expect(setting('ProtectSystem')).toBe('strict')
    // Node compiles JavaScript while it runs.
    expect(setting('MemoryDenyWriteExecute')).toBeUndefined()
  })
})
