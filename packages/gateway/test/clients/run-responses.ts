import OpenAI from 'openai'
import type {
  Response as SdkResponse,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseOutputItem,
} from 'openai/resources/responses/responses'
import { citySchema, type ClientAnswer, type RunTask } from './tool-run.ts'

/** How a program that uses the SDK takes a stream: by the helper that checks it, or event by event. */
export type StreamTaking = 'stream helper' | 'events'

/** Lets the OpenAI SDK run a task in the dialect of responses. It sends every item back that it was given. */
export function runResponses(taking: StreamTaking): RunTask {
  return async ({ address }, { model, isStream }, task, tools) => {
    const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'any', maxRetries: 0 })
    const body = {
      model,
      store: false,
      include: ['reasoning.encrypted_content' as const],
      reasoning: { summary: 'auto' as const },
      tools: task.toolNames.map((name) => ({
        type: 'function' as const,
        name,
        parameters: { ...citySchema },
        strict: false,
      })),
    }
    const input: ResponseInputItem[] = [{ role: 'user', content: task.prompt }]
    const answers: ClientAnswer[] = []
    const round = async (left: number): Promise<void> => {
      const output = await (isStream ? takings[taking] : wholeOutput)(client, { ...body, input: [...input] })
      answers.push(readOutput(output))
      input.push(
        ...output.filter(
          (item) => item.type === 'message' || item.type === 'reasoning' || item.type === 'function_call',
        ),
      )
      const calls = output.filter((item) => item.type === 'function_call')
      for (const { name, arguments: json, call_id } of calls) {
        const tool = task.toolNames.find((each) => each === name)
        if (tool === undefined) throw new Error(`nobody has the tool ${name}`)
        const result = tools.run(tool, JSON.parse(json))
        input.push({ type: 'function_call_output', call_id, output: result })
      }
      if (calls.length > 0 && left > 0) await round(left - 1)
    }
    await round(5)
    return { answers }
  }
}

type TakeOutput = (client: OpenAI, body: ResponseCreateParamsNonStreaming) => Promise<ResponseOutputItem[]>

const wholeOutput: TakeOutput = async (client, body) => finished(await client.responses.create(body))

const takings: Readonly<Record<StreamTaking, TakeOutput>> = {
  'stream helper': async (client, body) =>
    finished(await client.responses.stream({ ...body, stream: true }).finalResponse()),
  events: async (client, body) => {
    const items: ResponseOutputItem[] = []
    let isCompleted = false
    for await (const event of await client.responses.create({ ...body, stream: true })) {
      if (event.type === 'response.output_item.done') items.push(event.item)
      if (event.type === 'response.completed') isCompleted = true
    }
    if (!isCompleted) throw new Error('the stream ended before its response was completed')
    return items
  },
}

/** The SDK returns a response that failed as it returns any other. */
function finished({ status, error, output }: SdkResponse): ResponseOutputItem[] {
  if (status !== 'completed') throw new Error(`the response is ${status}: ${error?.message}`)
  return output
}

function readOutput(output: readonly ResponseOutputItem[]): ClientAnswer {
  const texts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const summaries = output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
  return {
    text: texts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    reasoning: summaries.map(({ text }) => text).join(''),
    callIds: output.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])),
  }
}
