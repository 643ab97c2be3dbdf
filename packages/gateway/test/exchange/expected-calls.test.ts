import { afterAll, describe, expect, it } from 'vitest'
import { ask, clientDialects } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { chunk, sse, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

const kimiCall =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>' +
  '{"city":"Paris"}<|tool_call_end|><|tool_calls_section_end|>'

describe.each(clientDialects)('towards a client that speaks %s', (dialect) => {
  const none = dialect === 'anthropic' ? { tool_choice: { type: 'none' } } : { tool_choice: 'none' }

  it.each([true, false])('a call that it forbade is left out and recorded (stream: %s)', async (stream) => {
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ role: 'assistant', content: `Hello.${kimiCall}` }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const gateway = await startGateway({ upstream: upstream.url })
    const answer = await ask(gateway.address, dialect, { ...none, stream })
    expect(answer.body).not.toContain('tool_call')
    expect(answer.hasCall).toBe(false)
    expect(answer.text).toBe('Hello.')
    expect(gateway.requestLine()).toMatchObject({ repairs: ['forbidden-call'] })
  })

  it('an object alone is the arguments of the tool that it named', async () => {
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ role: 'assistant', content: '{"city":"Dallas"}' }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const gateway = await startGateway({ upstream: upstream.url })
    const named =
      dialect === 'anthropic'
        ? { tool_choice: { type: 'tool', name: 'get_weather' } }
        : { tool_choice: { type: 'function', function: { name: 'get_weather' } } }
    const answer = await ask(gateway.address, dialect, named)
    expect(answer.hasCall).toBe(true)
    expect(gateway.requestLine()).toMatchObject({ calls: ['get_weather'] })
  })

  it('values have the types of the schema under a name that had to be shortened', async () => {
    const name = `mcp__${'a'.repeat(90)}`
    const schema = { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] }
    const tool =
      dialect === 'anthropic'
        ? { name, input_schema: schema }
        : { type: 'function', function: { name, parameters: schema } }
    const upstream = await startUpstream((response) => {
      const short = /mcp__[a-zA-Z0-9_]+/.exec(upstream.requests.at(-1)?.body ?? '')?.[0] ?? ''
      const call = `<tool_call>\n<function=${short}>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>`
      sse(response, chunk({ role: 'assistant', content: call }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const gateway = await startGateway({ upstream: upstream.url })
    const answer = await ask(gateway.address, dialect, { model: 'qwen3-coder', tools: [tool], stream: false })
    expect(answer.body).toContain(name)
    expect(answer.body.replaceAll('\\', '')).toContain('{"days":3}')
    expect(gateway.requestLine()).toMatchObject({ calls: [name], problems: null })
  })
})
