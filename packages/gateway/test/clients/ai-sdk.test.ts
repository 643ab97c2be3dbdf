import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from 'ai'
import { familyCombinations, plainCombinations, plainFamilyCombinations } from './combinations.ts'
import { isThorough } from '../thorough.ts'
import type { Lab } from './lab.ts'
import { describeClient } from './suite.ts'
import { citySchema, type RunTask } from './tool-run.ts'

function runWith(
  modelOf: (lab: Lab, name: string) => LanguageModel,
  providerOptions: NonNullable<Parameters<typeof generateText>[0]['providerOptions']> = {},
): RunTask {
  return async (lab, { model, isStream }, task, tools) => {
    const settings = {
      model: modelOf(lab, model),
      prompt: task.prompt,
      maxOutputTokens: 2000,
      maxRetries: 0,
      providerOptions,
      stopWhen: stepCountIs(5),
      tools: Object.fromEntries(
        task.toolNames.map((name) => [
          name,
          tool({
            inputSchema: jsonSchema<{ city: string }>({ ...citySchema, required: [...citySchema.required] }),
            execute: (input) => tools.run(name, input),
          }),
        ]),
      ),
    }
    const steps = isStream ? await streamText(settings).steps : (await generateText(settings)).steps
    return {
      answers: steps.map(({ text, reasoningText = '', toolCalls }) => ({
        text,
        reasoning: reasoningText,
        callIds: toolCalls.map(({ toolCallId }) => toolCallId),
      })),
    }
  }
}

/** The clients of the vendors try every model; this one tries them all where there is time. */
const families = { all: familyCombinations, plain: plainFamilyCombinations, ofEach: 4 }

describeClient(
  'the AI SDK as an OpenAI client',
  runWith(({ address }, name) =>
    createOpenAICompatible({ name: 'gateway', baseURL: `${address}/v1`, apiKey: 'any' })(name),
  ),
  isThorough ? {} : families,
)

describeClient(
  'the AI SDK as an Anthropic client',
  runWith(({ address }, name) => createAnthropic({ baseURL: `${address}/v1`, apiKey: 'any' })(name)),
  isThorough ? { all: plainCombinations } : families,
)

describeClient(
  '44. the AI SDK as a client that asks for responses',
  runWith(({ address }, name) => createOpenAI({ baseURL: `${address}/v1`, apiKey: 'any' })(name), {
    // The provider believes a model whose name it does not know to be one that does not think.
    openai: { store: false, forceReasoning: true, reasoningSummary: 'auto' },
  }),
  families,
)

describeClient(
  '46. the AI SDK as a client of Gemini',
  runWith(
    ({ address }, name) => createGoogleGenerativeAI({ baseURL: `${address}/v1beta`, apiKey: 'any' })(name),
    { google: { thinkingConfig: { includeThoughts: true } } },
  ),
  families,
)
