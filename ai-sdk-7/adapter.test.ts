import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { toolCallMiddleware } from '@dragoman/core/ai-sdk'
import { generateText, isStepCount, jsonSchema, streamText, tool, wrapLanguageModel } from 'ai'
import { describeAdapter } from '../packages/gateway/test/adapters/suite.ts'
import { citySchema, type RunTask } from '../packages/gateway/test/clients/tool-run.ts'

const inputSchema = { ...citySchema, required: [...citySchema.required] }

const runTask: RunTask = async ({ address }, { model, isStream }, task, tools) => {
  const provider = createOpenAICompatible({ name: 'simulator', baseURL: `${address}/v1`, apiKey: 'any' })
  const settings = {
    model: wrapLanguageModel({ model: provider(model), middleware: toolCallMiddleware() }),
    prompt: task.prompt,
    maxRetries: 0,
    stopWhen: isStepCount(5),
    tools: Object.fromEntries(
      task.toolNames.map((name) => [
        name,
        tool({
          inputSchema: jsonSchema<{ city: string }>(inputSchema),
          execute: (input) => tools.run(name, input),
        }),
      ]),
    ),
  }
  const steps = isStream ? await streamText(settings).steps : (await generateText(settings)).steps
  const answers = steps.map(({ text, reasoningText = '', toolCalls }) => ({
    text,
    reasoning: reasoningText,
    callIds: toolCalls.map(({ toolCallId }) => toolCallId),
  }))
  return { answers }
}

describeAdapter('version 7 of the AI SDK with the middleware', runTask)
