import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { at } from '../server/ask.ts'
import { deployFile, deployYaml } from './deploy-files.ts'
import { composeShape, kubernetesShapes, misfits } from './shapes.ts'

describe('the files for Kubernetes', () => {
  const names = readdirSync(new URL('../../../../deploy/kubernetes', import.meta.url)).map((file) =>
    file.replace(/\.yaml$/, ''),
  )

  it.each(names)('%s has the fields that Kubernetes knows, and those that it needs', (name) => {
    const shape = kubernetesShapes[name]
    if (shape === undefined) throw new Error(`nobody says what ${name} may hold`)
    expect(misfits(deployYaml(`kubernetes/${name}.yaml`), shape)).toEqual([])
  })

  it('name volumes, ports and secrets that there are', () => {
    const pod = at(deployYaml('kubernetes/deployment.yaml'), 'spec', 'template', 'spec')
    const container = at(pod, 'containers', 0)
    expect(at(container, 'volumeMounts', 0, 'name')).toBe(at(pod, 'volumes', 0, 'name'))
    const secret = deployYaml('kubernetes/secret.yaml')
    const held = Object.keys(Object(at(secret, 'stringData')))
    expect(held).toContain(at(pod, 'volumes', 0, 'secret', 'items', 0, 'key'))
    expect(at(pod, 'volumes', 0, 'secret', 'items', 0, 'path')).toBe('config.yaml')
    const taken = at(container, 'env', 0, 'valueFrom', 'secretKeyRef')
    expect(taken).toEqual({ name: at(secret, 'metadata', 'name'), key: at(container, 'env', 0, 'name') })
    expect(held).toContain(at(taken, 'key'))
    const variables = [...deployFile('kubernetes/secret.yaml').matchAll(/\$\{(\w+)\}/g)].map(
      ([, name]) => name,
    )
    expect(variables).toEqual([at(container, 'env', 0, 'name')])
  })
})

describe('the file for Compose', () => {
  const compose = deployYaml('compose/compose.yaml')

  it('has the fields that Compose knows', () => {
    expect(misfits(compose, composeShape)).toEqual([])
  })

  it('names services, networks and volumes that there are', () => {
    const services = Object.entries(Object(at(compose, 'services')))
    const names = services.map(([name]) => name)
    const [networks, volumes] = ['networks', 'volumes'].map((what) => Object.keys(Object(at(compose, what))))
    for (const [, each] of services) {
      expect(names).toEqual(expect.arrayContaining(Object.keys(Object(at(each, 'depends_on')))))
      expect(networks).toEqual(expect.arrayContaining([at(each, 'networks')].flat()))
      const mounted = [at(each, 'volumes')]
        .flat()
        .flatMap((volume) => (typeof volume === 'string' ? (volume.split(':')[0] ?? '') : []))
      expect(volumes).toEqual(expect.arrayContaining(mounted.filter((source) => !source.startsWith('.'))))
    }
  })

  it('waits for no service to be healthy that has no check', () => {
    const services = at(compose, 'services')
    const awaited = Object.values(Object(services)).flatMap((each) =>
      Object.entries(Object(at(each, 'depends_on'))).flatMap(([name, on]) =>
        at(on, 'condition') === 'service_healthy' ? [name] : [],
      ),
    )
    expect(new Set(awaited)).toEqual(new Set(['gateway-1', 'gateway-2', 'gateway-3', 'redis']))
    // The image of the gateways brings its own.
    expect(deployFile('Dockerfile')).toMatch(/^HEALTHCHECK /m)
    expect(at(services, 'redis', 'healthcheck', 'test')).toBeDefined()
  })
})

describe('a file that does not fit', () => {
  it('is told with the path of what is wrong', () => {
    const shape = kubernetesShapes['service'] ?? 'anything'
    const wrong = {
      apiVersion: 'v1',
      kind: 'Servise',
      metadata: { name: 'x' },
      spec: { selektor: {}, ports: [{ port: '80' }, {}] },
    }
    expect(misfits(wrong, shape)).toEqual([
      '.kind is Servise',
      '.spec.selektor is not known',
      '.spec.ports[0].port is text, not number',
      '.spec.ports[1].port is missing',
    ])
  })
})
