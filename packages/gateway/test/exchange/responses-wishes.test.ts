import { afterAll, describe, expect, it } from 'vitest'
import { post } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { chunk, sse, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

const written = (name: string): string =>
  `<tool_call>\n{"name": "${name}", "arguments": {"path": "a.txt"}}\n</tool_call>`

const tools = ['read', 'erase'].map((name) => ({
  type: 'function',
  name,
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}))

describe('a client of responses', () => {
  it.each(['native', 'prompt'])(
    'gets no call of a tool that it does not allow, where the tools are told: %s',
    async (told) => {
      const upstream = await startUpstream((response) => {
        const said = `So.\n${written('erase')}\n${written('read')}`
        sse(response, chunk({ role: 'assistant', content: said }), chunk({}, 'stop'), '[DONE]')
        response.end()
      })
      const settings = {
        models: [
          { match: '*', upstream: 'lab', format: 'hermes', ...(told === 'prompt' && { tools: 'prompt' }) },
        ],
      }
      const gateway = await startGateway({ upstream: upstream.url, settings })
      const answer = await post(gateway.address, '/v1/responses', {
        model: 'some-model',
        input: 'Look at a.txt.',
        tools,
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'read' }] },
      })
      const body: unknown = await answer.json()
      expect(body).toMatchObject({
        output: [{ type: 'message' }, { type: 'function_call', name: 'read' }],
      })
      expect(JSON.stringify(body)).not.toContain('"name":"erase","arguments"')
      expect(upstream.requests.at(-1)?.body).toContain('erase')
      expect(gateway.requestLine()).toMatchObject({ repairs: ['forbidden-call'] })
    },
  )

  it('that wants to see no reasoning sends it back all the same', async () => {
    const upstream = await startUpstream((response) => {
      const thought = chunk({ role: 'assistant', reasoning_content: 'Let me think. ' })
      sse(response, thought, chunk({ content: 'Yes.' }), chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url })
    const ask = async (input: unknown): Promise<unknown[]> => {
      const request = { model: 'kimi-k2', input, reasoning: { summary: 'none' } }
      const answer: unknown = await (await post(address, '/v1/responses', request)).json()
      const { output } = Object(answer)
      return Array.isArray(output) ? output : []
    }
    const first = { role: 'user', content: 'Is it?' }
    const output = await ask([first])
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [], encrypted_content: expect.stringMatching(/^dragoman_2_/) },
      { type: 'message' },
    ])
    expect(JSON.stringify(output)).not.toContain('Let me think')
    await ask([first, ...output, { role: 'user', content: 'Sure?' }])
    const sent: unknown = JSON.parse(upstream.requests.at(-1)?.body ?? '')
    expect(sent).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', reasoning_content: 'Let me think. ' }, {}],
    })
  })
})
