import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { toolCallMiddlewareV3 } from '@dragoman/core/ai-sdk'
import * as ai6 from 'ai'
import { citySchema, type RunTask } from '../clients/tool-run.ts'
import { describeAdapter } from './suite.ts'

const inputSchema = { ...citySchema, required: [...citySchema.required] }

function modelAt(address: string, name: string) {
  return createOpenAICompatible({ name: 'simulator', baseURL: `${address}/v1`, apiKey: 'any' })(name)
}

const runWith6: RunTask = async ({ address }, { model, isStream }, task, tools) => {
  const settings = {
    model: ai6.wrapLanguageModel({ model: modelAt(address, model), middleware: toolCallMiddlewareV3() }),
    prompt: task.prompt,
    maxRetries: 0,
    stopWhen: ai6.stepCountIs(5),
    tools: Object.fromEntries(
      task.toolNames.map((name) => [
        name,
        ai6.tool({
          inputSchema: ai6.jsonSchema<{ city: string }>(inputSchema),
          execute: (input) => tools.run(name, input),
        }),
      ]),
    ),
  }
  const steps = isStream ? await ai6.streamText(settings).steps : (await ai6.generateText(settings)).steps
  return { answers: steps.map(readStep) }
}

function readStep({
  text,
  reasoningText = '',
  toolCalls,
}: {
  readonly text: string
  readonly reasoningText?: string | undefined
  readonly toolCalls: readonly { readonly toolCallId: string }[]
}) {
  return { text, reasoning: reasoningText, callIds: toolCalls.map(({ toolCallId }) => toolCallId) }
}

describeAdapter('version 6 of the AI SDK with the middleware', runWith6)
