import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, post } from '../server/ask.ts'
import { items, kimiIds, saidIn, toolIdsIn } from './conversation-view.ts'
import { startLab, type Lab } from './lab.ts'
import { asFunctions, asItems, asMessages, asTools } from './other-agent.ts'

/** What a released agent sent back of a conversation of two rounds with Kimi, without its own instructions. */
function recorded(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8'))
}

const ofCodex = recorded('codex')
const ofClaudeCode = recorded('claude-code')
const more = 'And what is in the third one? Look with `cat c.txt`.'

let lab: Lab
beforeAll(async () => {
  lab = await startLab({ rounds: 1 })
})
afterAll(() => lab.close())

/** What the model was told, and the items or blocks of its answer. */
interface Asked {
  readonly told: unknown[]
  readonly answer: unknown[]
}

async function asCodex(model: string, input: readonly unknown[], tools: unknown): Promise<Asked> {
  const question = { type: 'message', role: 'user', content: [{ type: 'input_text', text: more }] }
  const response = await post(lab.gateway.address, '/v1/responses', {
    model,
    input: [...input, question],
    tools,
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { summary: 'auto' },
  })
  return { told: await told(response), answer: items(at(await response.json(), 'output')) }
}

async function asClaudeCode(model: string, messages: readonly unknown[], tools: unknown): Promise<Asked> {
  const question = { role: 'user', content: [{ type: 'text', text: more }] }
  const response = await post(lab.gateway.address, '/v1/messages', {
    model,
    messages: [...messages, question],
    tools,
    max_tokens: 8000,
    thinking: { type: 'adaptive' },
  })
  return { told: await told(response), answer: items(at(await response.json(), 'content')) }
}

async function told(response: Response): Promise<unknown[]> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return items(at(lab.simulator.requests.at(-1)?.body, 'messages'))
}

/** Of the messages with calls. */
function reasoningIn(messages: readonly unknown[]): unknown[] {
  return messages
    .filter((message) => at(message, 'tool_calls') !== undefined)
    .map((message) => at(message, 'reasoning_content'))
}

describe('a conversation that began in Codex', () => {
  const input = items(at(ofCodex, 'input'))
  const tools = at(ofCodex, 'tools')

  it('is the same to the model where Claude Code goes on with it', async () => {
    const here = await asCodex('kimi-k2-thinking', input, tools)
    const there = await asClaudeCode('kimi-k2-thinking', asMessages(input), asTools(tools))
    expect(saidIn(there.told)).toEqual(saidIn(here.told))
    expect(reasoningIn(there.told)).toEqual(reasoningIn(here.told))
    expect(reasoningIn(there.told)).toEqual([
      'A simulated thought: I need exec_command for this.',
      'A simulated thought: I need exec_command for this.',
    ])
    const ids = toolIdsIn(there.told)
    expect(ids).toEqual(toolIdsIn(here.told))
    expect(ids.results).toEqual(kimiIds(ids))
    expect(there.answer).toMatchObject([
      { type: 'thinking' },
      { type: 'text' },
      { type: 'tool_use', name: 'exec_command', input: { cmd: 'cat c.txt' } },
    ])
  })

  it('goes back to Codex with what Claude Code added', async () => {
    const there = await asClaudeCode('kimi-k2-thinking', asMessages(input), asTools(tools))
    const call = there.answer.at(-1)
    const grown = [
      ...input,
      ...asItems([{ role: 'user', content: [{ type: 'text', text: more }] }]),
      ...asItems([{ role: 'assistant', content: there.answer }]),
      { type: 'function_call_output', call_id: at(call, 'id'), output: 'the third note' },
    ]
    const back = await asCodex('kimi-k2-thinking', grown, tools)
    const ids = toolIdsIn(back.told)
    expect(ids.results).toHaveLength(3)
    expect(ids.results).toEqual(kimiIds(ids))
    expect(reasoningIn(back.told)).toHaveLength(3)
    expect(new Set(reasoningIn(back.told)).size).toBe(1)
  })

  it.each(['qwen3-coder', 'claude-x', 'mistral-large+structured'])(
    'goes on with %s, which sees no reasoning of Kimi',
    async (model) => {
      const there = await asClaudeCode(model, asMessages(input), asTools(tools))
      expect(JSON.stringify(there.told)).not.toMatch(/A simulated thought|dragoman_/)
      expect(toolIdsIn(there.told).results).toHaveLength(2)
      expect(lab.simulator.historyProblems).toEqual([])
    },
  )
})

describe('a conversation that began in Claude Code', () => {
  const messages = items(at(ofClaudeCode, 'messages'))
  const tools = at(ofClaudeCode, 'tools')

  it('is the same to the model where Codex goes on with it', async () => {
    const here = await asClaudeCode('kimi-k2-thinking', messages, tools)
    const there = await asCodex('kimi-k2-thinking', asItems(messages), asFunctions(tools))
    expect(saidIn(there.told)).toEqual(saidIn(here.told))
    expect(reasoningIn(there.told)).toEqual(reasoningIn(here.told))
    expect(reasoningIn(there.told)).toEqual([
      'A simulated thought: I need Read for this.',
      'A simulated thought: I need Bash for this.',
    ])
    const ids = toolIdsIn(there.told)
    expect(ids).toEqual(toolIdsIn(here.told))
    expect(ids.results).toEqual(kimiIds(ids))
    expect(there.answer).toMatchObject([
      { type: 'reasoning' },
      { type: 'message' },
      { type: 'function_call', status: 'completed' },
    ])
    const made = items(at(ofClaudeCode, 'messages')).flatMap((message) => toolIdsIn([message]).results)
    expect(made).not.toContain(at(there.answer.at(-1), 'call_id'))
  })

  it.each(['qwen3-coder', 'claude-x', 'deepseek-v3'])(
    'goes on with %s, which sees no reasoning of Kimi',
    async (model) => {
      const there = await asCodex(model, asItems(messages), asFunctions(tools))
      expect(JSON.stringify(there.told)).not.toMatch(/A simulated thought|dragoman_/)
      expect(toolIdsIn(there.told).results).toHaveLength(2)
      expect(lab.simulator.historyProblems).toEqual([])
    },
  )
})
