import { afterEach, describe, expect, it } from 'vitest'
import { type QuirkName, quirkNames } from '../../src/simulator/quirks.ts'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { ask, at } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { type Examined, examined, usual, withServer } from './examined.ts'

afterEach(stopGateways)

interface Case {
  readonly model?: string
  /** What the doctor complains of, beside what is usual. */
  readonly complaints: readonly string[]
  /** A part of what was seen by the first of these checks. */
  readonly seen: string
  /** The settings that are prescribed for the model. */
  readonly remedy?: object
  readonly works?: boolean
}

const inPrompt = { tools: 'prompt', format: 'hermes' }

/** With the tools in the prompt a tool that must be called is the only one there, so that a choice is obeyed. */
const withoutTools = ['call-streamed warn']

/** How each quirk is told from all others. */
const cases: Readonly<Record<QuirkName, Case>> = {
  'lost-calls': { complaints: withoutTools, seen: 'nothing came', remedy: inPrompt },
  'announced-calls': {
    complaints: withoutTools,
    seen: 'says that there are calls, and sent none',
    remedy: inPrompt,
  },
  'tools-refused': { complaints: withoutTools, seen: 'does not support tools', remedy: inPrompt },
  'first-call': { complaints: ['two-calls note'], seen: 'only get_weather came' },
  'choice-ignored': { complaints: ['forced-call note'], seen: 'required: ignored; by name: ignored' },
  'choice-refused': { complaints: ['forced-call warn'], seen: 'required: refused (tool_choice: only' },
  'results-refused': { complaints: ['result warn'], seen: 'Unexpected role "tool"', remedy: inPrompt },
  'open-reasoning': {
    complaints: ['reasoning warn'],
    seen: 'was never opened',
    remedy: { startsInReasoning: true },
  },
  'reasoning-refused': {
    complaints: ['reasoning-back warn'],
    seen: 'property "reasoning_content" is unsupported',
    remedy: { thinking: 'off' },
  },
  'no-usage': { complaints: ['usage note'], seen: 'not in streams' },
  'always-stop': { complaints: ['finish note', 'cut warn'], seen: 'stop for an answer with calls' },
  'cut-as-whole': { complaints: ['cut warn'], seen: 'the server calls it tool_calls' },
  'no-stream': { complaints: ['stream warn'], seen: 'JSON came in place of a stream' },
  'one-piece': { complaints: ['stream warn'], seen: 'all of them at once' },
  'effort-refused': { complaints: ['effort note'], seen: 'does not support thinking' },
  'images-refused': { complaints: ['image note'], seen: 'does not support image input' },
  'hidden-window': {
    complaints: ['window note'],
    seen: '65536 tokens, by what the server refuses',
    remedy: { window: 65_536 },
  },
  'key-refused': { complaints: ['key fail'], seen: 'Invalid API key', works: false },
  html: { complaints: ['reach fail'], seen: 'a web page', works: false },
}

function examine(settings: SimulatorSettings, model = 'standard'): Promise<Examined> {
  return withServer(settings, (upstream) => examined({ upstream, model }))
}

describe('a server that behaves', () => {
  it('is found well, and needs no line of configuration', async () => {
    const { complaints, works, remedy } = await examine({})
    expect({ complaints, works, remedy }).toEqual({
      complaints: usual,
      works: true,
      remedy: { upstream: {}, model: {} },
    })
  })

  it('may leave calls in the text: the format is told', async () => {
    const { finding, works, remedy } = await examine({}, 'kimi-k2')
    expect(finding('call-streamed')).toMatchObject({ status: 'ok' })
    expect(finding('call-streamed').seen).toContain('in the format kimi')
    expect(finding('call-whole').seen).toContain('in the format kimi')
    expect({ works, remedy }).toEqual({ works: true, remedy: { upstream: {}, model: {} } })
  })

  it('is prescribed the format where the name of the model does not tell it', async () => {
    const { finding, remedy } = await examine({ format: 'glm' }, 'my-finetune')
    expect(finding('call-streamed')).toMatchObject({ status: 'note' })
    expect(remedy.model).toEqual({ format: 'glm' })
  })
})

describe('a server with a quirk', () => {
  for (const quirk of quirkNames) {
    const { complaints, seen, remedy = {}, works = true } = cases[quirk]
    it(`${quirk} is told from all others: ${complaints.join(', ')}`, async () => {
      const found = await examine({ quirks: [quirk] })
      const own = found.complaints.filter((each) => !usual.includes(each) || complaints.includes(each))
      expect(own).toEqual(complaints)
      const [first = ''] = complaints
      expect(found.finding(first.split(' ')[0] ?? '').seen).toContain(seen)
      expect({ model: found.remedy.model, works: found.works }).toEqual({ model: remedy, works })
    })
  }

  it('a word in the name of the model is the same quirk', async () => {
    const { complaints } = await examine({}, 'standard+results-refused')
    expect(complaints).toContain('result warn')
  })

  it('every complaint says what to do', async () => {
    const { findings } = await examine({ quirks: ['lost-calls', 'choice-refused', 'one-piece'] })
    const silent = findings.filter(({ status, advice }) => /note|warn|fail/.test(status) && !advice)
    expect(silent).toEqual([])
  })
})

describe('a model that does not call', () => {
  it('is asked twice, then by words, and is then said not to', async () => {
    const { finding, works } = await examine({ rounds: 0 })
    expect(finding('call-streamed')).toMatchObject({ status: 'fail' })
    expect(finding('call-streamed').seen).toContain('none, asked twice')
    expect(works).toBe(false)
    expect(finding('result')).toMatchObject({ status: 'skipped', blockedBy: 'call-streamed' })
  })
})

/** Quirks that a configuration mends, each with what a client must get then. */
const mendable: readonly QuirkName[] = [
  'lost-calls',
  'announced-calls',
  'tools-refused',
  'results-refused',
  'open-reasoning',
]

describe('the lines that are prescribed', () => {
  for (const quirk of mendable) {
    it(`make a gateway work in front of a server with ${quirk}`, async () => {
      await withServer({ quirks: [quirk] }, async (upstream) => {
        const { config } = await examined({ upstream, model: 'standard' })
        const { address } = await startGateway({ upstream, settings: { ...config } })
        const called = await ask(address, 'anthropic')
        expect({ status: called.status, finish: called.finish, hasCall: called.hasCall }).toEqual({
          status: 200,
          finish: 'tool_use',
          hasCall: true,
        })
        expect(called.text).not.toContain('</think>')
        const answered = await ask(address, 'anthropic', { messages: withResult })
        expect(answered.status).toBe(200)
        expect(answered.text).toContain('18 degrees')
      })
    })
  }

  for (const quirk of ['lost-calls', 'announced-calls', 'results-refused'] as const) {
    it(`are needed with ${quirk}`, async () => {
      await withServer({ quirks: [quirk] }, async (upstream) => {
        const { address } = await startGateway({ upstream })
        const called = await ask(address, 'anthropic', { model: 'standard' })
        const answered = await ask(address, 'anthropic', { model: 'standard', messages: withResult })
        expect(called.hasCall && answered.status === 200).toBe(false)
      })
    })
  }

  it('make a gateway work in front of a server with reasoning-refused, and are needed', async () => {
    await withServer({ quirks: ['reasoning-refused'] }, async (upstream) => {
      const { config } = await examined({ upstream, model: 'standard' })
      expect(config.models).toMatchObject([{ thinking: 'off' }])
      const again = await examined({ upstream, model: 'standard', settings: { ...config } })
      expect(again.complaints).toEqual(usual)
      const mended = await startGateway({ upstream, settings: { ...config } })
      const plain = await startGateway({ upstream })
      expect(await callAndResult(mended.address)).toEqual(['tool_use', 200])
      expect(await callAndResult(plain.address)).toEqual(['tool_use', 400])
    })
  })

  it('leave a well server as it is', async () => {
    const { config } = await examine({})
    expect(config.models).toEqual([{ match: '*', upstream: 'lab', model: 'standard' }])
  })
})

const withResult = [
  { role: 'user', content: 'What is the weather in Paris?' },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } }],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '18 degrees' }] },
]

/** How a call ends, and how the server answers when all of it comes back with its result. */
async function callAndResult(address: string): Promise<[finish: string | undefined, status: number]> {
  const called = await ask(address, 'anthropic', { model: 'standard', stream: false })
  const content = at(called.last, 'content')
  const id = Array.isArray(content) ? content.map((block) => at(block, 'id')).find(Boolean) : undefined
  const messages = [
    ...withResult.slice(0, 1),
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: '18 degrees' }] },
  ]
  const answered = await ask(address, 'anthropic', { model: 'standard', stream: false, messages })
  return [called.finish, answered.status]
}
