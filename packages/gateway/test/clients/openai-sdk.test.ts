import OpenAI from 'openai'
import { at } from '../gateway/ask.ts'
import { describeClient } from './suite.ts'
import { citySchema, type ClientAnswer, type RunTask } from './tool-run.ts'

const runTask: RunTask = async (lab, { model, isStream }, task, tools) => {
  const client = new OpenAI({ baseURL: `${lab.address}/v1`, apiKey: 'any', maxRetries: 0 })
  const body = {
    model,
    messages: [{ role: 'user' as const, content: task.prompt }],
    tools: task.toolNames.map((name) => ({
      type: 'function' as const,
      function: {
        name,
        description: '',
        parameters: { ...citySchema, required: [...citySchema.required] },
        parse: (text: string): unknown => JSON.parse(text),
        function: (input: unknown) => tools.run(name, input),
      },
    })),
  }
  const runner = isStream
    ? client.chat.completions.runTools({ ...body, stream: true })
    : client.chat.completions.runTools({ ...body, stream: false })
  await runner.done()
  return { answers: runner.allChatCompletions().map(readAnswer) }
}

describeClient('the OpenAI SDK', runTask)

function readAnswer({ choices }: OpenAI.ChatCompletion): ClientAnswer {
  const message = choices[0]?.message
  return {
    text: message?.content ?? '',
    reasoning: String(at(message, 'reasoning_content') ?? at(message, 'reasoning') ?? ''),
    callIds: (message?.tool_calls ?? []).map(({ id }) => id),
  }
}
