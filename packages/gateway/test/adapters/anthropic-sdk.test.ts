import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { createFetch } from '@dragoman/core/fetch'
import { createSimulator } from '../../src/simulator/server.ts'
import type { Lab } from '../clients/lab.ts'
import { citySchema, type ClientAnswer, type RunTask } from '../clients/tool-run.ts'
import { startGateway, stopGateways } from '../gateway/running-gateway.ts'
import { describeAdapter } from './suite.ts'

const runTask: RunTask = async ({ address }, { model, isStream }, task, tools) => {
  const client = new Anthropic({ baseURL: address, apiKey: 'any', maxRetries: 0, fetch: createFetch() })
  const body = {
    model,
    max_tokens: 2000,
    messages: [{ role: 'user' as const, content: task.prompt }],
    tools: task.toolNames.map((name) =>
      betaTool({
        name,
        description: '',
        inputSchema: citySchema,
        run: (input) => tools.run(name, input),
      }),
    ),
  }
  const answers: ClientAnswer[] = []
  if (isStream) {
    for await (const stream of client.beta.messages.toolRunner({ ...body, stream: true })) {
      answers.push(readAnswer(await stream.finalMessage()))
    }
  } else {
    for await (const message of client.beta.messages.toolRunner({ ...body, stream: false })) {
      answers.push(readAnswer(message))
    }
  }
  return { answers }
}

/** A server of Anthropic's dialect that reads nothing: what the model writes as text stays text. */
async function startServerThatReadsNothing(): Promise<Lab> {
  const simulator = createSimulator({ pace: 0 })
  const { address } = await startGateway({
    upstream: await simulator.listen(),
    settings: { models: [{ match: '*', upstream: 'lab', format: 'standard' }] },
  })
  return {
    address,
    simulator,
    close: async () => {
      await stopGateways()
      await simulator.close()
    },
  }
}

describeAdapter('the Anthropic SDK with createFetch', runTask, {
  start: startServerThatReadsNothing,
  // Those whose ids are anybody's: the server in between leaves Anthropic's as they are.
  models: ['standard', 'qwen3', 'deepseek-v3', 'deepseek-r1'],
})

function readAnswer({ content }: Anthropic.Beta.BetaMessage): ClientAnswer {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    callIds: content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
  }
}
