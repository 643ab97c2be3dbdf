import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { ask } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { examined, withServer } from './examined.ts'

afterEach(stopGateways)

/** What a server answers beside the simulated model, by path. */
type Answers = Readonly<Record<string, unknown>>

const vllm: Answers = {
  '/v1/models': { object: 'list', data: [{ id: 'kimi-k2', owned_by: 'vllm', max_model_len: 131_072 }] },
  '/version': { version: '0.24.1' },
}

const ollama: Answers = {
  '/v1/models': { object: 'list', data: [{ id: 'qwen3:8b', owned_by: 'library' }] },
  '/api/version': { version: '0.33.0' },
  '/api/ps': { models: [{ name: 'qwen3:8b', context_length: 4096 }] },
  '/api/show': {
    capabilities: ['completion', 'tools', 'thinking'],
    model_info: { 'qwen3.context_length': 40_960 },
  },
}

describe('a server that is known', () => {
  it('is told with its version and its window', async () => {
    await inFrontOf({}, vllm, async (upstream) => {
      const { finding } = await examined({ upstream, model: 'kimi-k2' })
      expect(finding('kind')).toMatchObject({ status: 'ok', seen: 'vLLM 0.24.1' })
      expect(finding('window')).toMatchObject({ status: 'ok', seen: '131072 tokens' })
      expect(finding('model')).toMatchObject({ status: 'ok', seen: 'kimi-k2' })
    })
  })

  it('with a window too small for agents gets a warning', async () => {
    await inFrontOf({}, ollama, async (upstream) => {
      const { finding } = await examined({ upstream, model: 'qwen3:8b' })
      expect(finding('kind').seen).toBe('Ollama 0.33.0')
      expect(finding('window')).toMatchObject({
        status: 'warn',
        seen: '4096 tokens, and the model was made for 40960',
      })
    })
  })

  it('that does not know the model is asked for names that are near', async () => {
    await inFrontOf({}, vllm, async (upstream) => {
      const { finding } = await examined({ upstream, model: 'kimi-k3' })
      expect(finding('model')).toMatchObject({ status: 'warn', advice: 'It has kimi-k2: check the name.' })
    })
  })

  it('whose forced choice does nothing is no trouble where the gateway knows another way', async () => {
    await inFrontOf({ quirks: ['choice-ignored'] }, ollama, async (upstream) => {
      const { finding } = await examined({ upstream, model: 'qwen3:8b' })
      expect(finding('forced-call')).toMatchObject({ status: 'ok' })
      expect(finding('forced-call').seen).toContain('the gateway asks for it in another way')
    })
  })
})

describe('a server whose own parser loses calls', () => {
  it('is kept from reading them, and then a call works through the gateway', async () => {
    await inFrontOf({ quirks: ['lost-calls'] }, vllm, async (upstream) => {
      const { finding, remedy, config, works } = await examined({ upstream, model: 'kimi-k2' })
      expect(finding('call-streamed')).toMatchObject({ status: 'warn' })
      expect(finding('call-streamed').advice).toContain('vLLM can be kept from reading calls')
      expect({ remedy, works }).toEqual({
        remedy: { upstream: { kind: 'vllm', parse: 'ours' }, model: {} },
        works: true,
      })
      const { address, gateway } = await startGateway({ upstream, settings: { ...config } })
      // The version of the server decides whether it can be kept from it, and is asked for in the background.
      await ask(address, 'openai')
      await expect.poll(async () => (await ask(address, 'openai')).hasCall).toBe(true)
      const called = await ask(address, 'anthropic')
      expect({ finish: called.finish, hasCall: called.hasCall }).toEqual({
        finish: 'tool_use',
        hasCall: true,
      })
      await gateway.drain()
    })
  })

  it('of a version that cannot be kept from it has the tools in the prompt', async () => {
    const newer = { ...vllm, '/version': { version: '0.26.0' } }
    await inFrontOf({ quirks: ['lost-calls'], format: 'hermes' }, newer, async (upstream) => {
      const { remedy } = await examined({ upstream, model: 'my-model' })
      expect(remedy).toEqual({ upstream: {}, model: { tools: 'prompt', format: 'hermes' } })
    })
  })

  it('is examined as the configuration says: what is mended is well', async () => {
    await inFrontOf({ quirks: ['lost-calls'] }, vllm, async (upstream) => {
      const lab = { url: upstream, kind: 'vllm', parse: 'ours' }
      const { finding, remedy } = await examined({
        upstream,
        model: 'kimi-k2',
        settings: { upstreams: { lab } },
      })
      expect(finding('call-streamed')).toMatchObject({ status: 'ok' })
      expect(remedy).toEqual({ upstream: {}, model: {} })
    })
  })

  it('and that refuses tools is advised by the flags of that server', async () => {
    await inFrontOf({ quirks: ['tools-refused'] }, vllm, async (upstream) => {
      const { finding } = await examined({ upstream, model: 'my-model' })
      expect(finding('call-streamed').advice).toContain('--enable-auto-tool-choice')
    })
  })
})

describe('an upstream of the other dialect', () => {
  it('is examined in its own words', async () => {
    await withServer({}, async (upstream) => {
      const { complaints, finding, works } = await examined({
        upstream,
        dialect: 'anthropic-messages',
        model: 'claude-sonnet',
      })
      expect(complaints).toEqual(['kind note', 'model warn', 'window note', 'image note'])
      expect(finding('call-streamed').seen).toBe('structured: the server reads it')
      expect(finding('finish').seen).toBe('end_turn, and tool_use for calls')
      expect(finding('reasoning').seen).toBe('in the field thinking')
      expect(finding('reasoning-back')).toMatchObject({ status: 'ok' })
      expect(works).toBe(true)
    })
  })

  for (const [quirk, complaint] of [
    ['choice-refused', 'forced-call warn'],
    ['images-refused', 'image note'],
    ['effort-refused', 'effort note'],
    ['results-refused', 'result fail'],
    ['one-piece', 'stream warn'],
  ] as const) {
    it(`shows the quirk ${quirk} as well`, async () => {
      await withServer({ quirks: [quirk] }, async (upstream) => {
        const dialect = 'anthropic-messages'
        const { complaints } = await examined({ upstream, dialect, model: 'claude-sonnet' })
        expect(complaints).toContain(complaint)
      })
    })
  }
})

/** A simulated model behind a server that answers these paths itself. */
async function inFrontOf(
  settings: SimulatorSettings,
  answers: Answers,
  use: (url: string) => Promise<void>,
): Promise<void> {
  await withServer(settings, async (inner) => {
    const { port } = new URL(inner)
    const server = createServer((request, response) => {
      const answer = answers[request.url ?? '']
      if (answer === undefined) forward(request, response, Number(port))
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    try {
      await use(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })
}

function forward(request: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url, headers } = request
  const inner = send({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  inner.on('error', () => response.destroy())
  request.pipe(inner)
}
