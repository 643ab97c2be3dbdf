import OpenAI, { type ClientOptions } from 'openai'
import { at } from '../server/ask.ts'
import { citySchema, type ClientAnswer, type RunTask } from './tool-run.ts'

/** Lets the OpenAI SDK run a task, with the fetch that is given or with its own. */
export function runOpenAi(fetch?: ClientOptions['fetch']): RunTask {
  return async ({ address }, { model, isStream }, task, tools) => {
    const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'any', maxRetries: 0, fetch })
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
    const answers: ClientAnswer[] = []
    if (isStream) {
      let reasoning = ''
      const runner = client.chat.completions.runTools({ ...body, stream: true })
      runner.on('chunk', ({ choices }) => {
        reasoning += reasoningIn(choices[0]?.delta)
      })
      runner.on('chatCompletion', (completion) => {
        // From its chunks the SDK joins only the fields that OpenAI has.
        answers.push({ ...readAnswer(completion), reasoning })
        reasoning = ''
      })
      await runner.done()
    } else {
      const runner = client.chat.completions.runTools({ ...body, stream: false })
      runner.on('chatCompletion', (completion) => answers.push(readAnswer(completion)))
      await runner.done()
    }
    return { answers }
  }
}

function readAnswer({ choices }: OpenAI.ChatCompletion): ClientAnswer {
  const message = choices[0]?.message
  return {
    text: message?.content ?? '',
    reasoning: reasoningIn(message),
    callIds: (message?.tool_calls ?? []).map(({ id }) => id),
  }
}

function reasoningIn(message: unknown): string {
  const reasoning = at(message, 'reasoning_content') ?? at(message, 'reasoning')
  return typeof reasoning === 'string' ? reasoning : ''
}
