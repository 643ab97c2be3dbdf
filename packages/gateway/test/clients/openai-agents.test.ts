import { Agent, type ModelResponse, OpenAIResponsesModel, Runner, tool } from '@openai/agents'
import OpenAI from 'openai'
import { familyCombinations, plainFamilyCombinations } from './combinations.ts'
import { describeClient } from './suite.ts'
import { citySchema, type ClientAnswer, type RunTask } from './tool-run.ts'

const runAgent: RunTask = async ({ address }, { model, isStream }, task, tools) => {
  const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'any', maxRetries: 0 })
  const agent = new Agent({
    name: 'Tester',
    model: new OpenAIResponsesModel(client, model),
    modelSettings: { store: false, reasoning: { summary: 'auto' } },
    tools: task.toolNames.map((name) =>
      tool({
        name,
        description: '',
        strict: false,
        parameters: { ...citySchema, required: [...citySchema.required], additionalProperties: true },
        execute: (input) => tools.run(name, input),
      }),
    ),
  })
  // Traces would go to a server of the vendor.
  const runner = new Runner({ tracingDisabled: true })
  const options = { maxTurns: 6 }
  if (!isStream) return answersOf(await runner.run(agent, task.prompt, options))
  const result = await runner.run(agent, task.prompt, { ...options, stream: true })
  await result.completed
  return answersOf(result)
}

function answersOf({ rawResponses }: { readonly rawResponses: readonly ModelResponse[] }) {
  return { answers: rawResponses.map(readResponse) }
}

function readResponse({ output }: ModelResponse): ClientAnswer {
  const texts = output.flatMap((item) =>
    item.type === 'message' && item.role === 'assistant' ? item.content : [],
  )
  return {
    text: texts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    reasoning: output
      .flatMap((item) => (item.type === 'reasoning' ? item.content : []))
      .map(({ text }) => text)
      .join(''),
    callIds: output.flatMap((item) => (item.type === 'function_call' ? [item.callId] : [])),
  }
}

describeClient('44. the Agents SDK', runAgent, {
  all: familyCombinations,
  plain: plainFamilyCombinations,
  ofEach: 4,
})
