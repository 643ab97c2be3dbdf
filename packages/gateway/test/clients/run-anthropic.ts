import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { citySchema, type ClientAnswer, type RunTask } from './tool-run.ts'

/** Lets the Anthropic SDK run a task, with the fetch that is given or with its own. */
export function runAnthropic(fetch?: ClientOptions['fetch']): RunTask {
  return async ({ address }, { model, isStream }, task, tools) => {
    const client = new Anthropic({ baseURL: address, apiKey: 'any', maxRetries: 0, fetch })
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
}

function readAnswer({ content }: Anthropic.Beta.BetaMessage): ClientAnswer {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    callIds: content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
  }
}
