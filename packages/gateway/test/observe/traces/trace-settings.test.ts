import { describe, expect, it } from 'vitest'
import { mayTrace } from '../../../src/observe/traces/may-trace.ts'
import { traceSettings } from '../../../src/observe/traces/trace-settings.ts'

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

function settingsIn(env: Readonly<Record<string, string>>) {
  const { settings } = traceSettings({ ...collector, ...env })
  if (settings === null) throw new Error('no traces')
  return settings
}

describe('where traces go', () => {
  it.each([
    ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
    ['http://127.0.0.1:4318/', 'http://127.0.0.1:4318/v1/traces'],
    ['https://otel.example/in', 'https://otel.example/in/v1/traces'],
  ])('the base address %s stands for %s', (base, url) => {
    expect(settingsIn({ OTEL_EXPORTER_OTLP_ENDPOINT: base }).url.href).toBe(url)
  })

  it('the address for traces is taken as it is, and wins', () => {
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/here' }
    expect(settingsIn(env).url.href).toBe('http://127.0.0.1:9/here')
  })

  it('an address that is empty is none', () => {
    expect(mayTrace({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBe(false)
    expect(mayTrace(collector)).toBe(true)
  })

  it('headers for traces win over those for all, whatever their case', () => {
    const { headers } = settingsIn({
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a,other=%C3%A9',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=b=c',
    })
    expect(headers).toEqual({ 'x-key': 'b=c', other: 'é' })
  })

  it.each([
    ['the address is none', { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://x' }, /OTEL_EXPORTER_OTLP_ENDPOINT/],
    ['the protocol is not ours', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /grpc/],
    ['a sampler is not known', { OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /jaeger_remote/],
    ['a share is none', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, /0 to 1/],
    ['a count is none', { OTEL_BSP_MAX_QUEUE_SIZE: 'many' }, /OTEL_BSP_MAX_QUEUE_SIZE/],
  ])('there is a warning where %s', (_, env, warning) => {
    expect(traceSettings({ ...collector, ...env }).warnings).toEqual([expect.stringMatching(warning)])
  })

  it('a header without a name is warned of, and its value is not shown', () => {
    const { warnings } = traceSettings({ ...collector, OTEL_EXPORTER_OTLP_HEADERS: 'sk-secret' })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).not.toContain('sk-secret')
  })
})

describe('which traces are kept', () => {
  it.each([
    [undefined, { root: 1, parent: 'decides' }],
    ['always_off', { root: 0, parent: 'ignored' }],
    ['traceidratio', { root: 0.25, parent: 'ignored' }],
    ['parentbased_traceidratio', { root: 0.25, parent: 'decides' }],
    ['parentbased_always_off', { root: 0, parent: 'decides' }],
  ])('with the sampler %s: %j', (name, sampler) => {
    const named = name === undefined ? {} : { OTEL_TRACES_SAMPLER: name }
    expect(settingsIn({ ...named, OTEL_TRACES_SAMPLER_ARG: '0.25' }).sampler).toEqual(sampler)
  })

  it.each([
    ['true', 'captured'],
    ['SPAN_ONLY', 'captured'],
    ['SPAN_AND_EVENT', 'captured'],
    ['EVENT_ONLY', 'left out'],
    ['NO_CONTENT', 'left out'],
    ['false', 'left out'],
  ])('with the wish %s, content is %s', (wish, content) => {
    const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: wish }
    expect(settingsIn(env).content).toBe(content)
  })
})
