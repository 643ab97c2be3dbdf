import { createFetch } from '@dragoman/core/fetch'
import { type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { citySchema, type ClientAnswer, type RunTask } from '../clients/tool-run.ts'
import { describeAdapter } from './suite.ts'

const runTask: RunTask = async ({ address }, { model, isStream }, task, tools) => {
  const chat = new ChatOpenAI({
    model,
    apiKey: 'any',
    maxRetries: 0,
    configuration: { baseURL: `${address}/v1`, fetch: createFetch() },
  }).bindTools(
    task.toolNames.map((name) => ({
      type: 'function' as const,
      function: { name, description: '', parameters: { ...citySchema } },
    })),
  )
  const messages: BaseMessage[] = [new HumanMessage(task.prompt)]
  const answers: ClientAnswer[] = []
  for (let round = 0; round < 5; round++) {
    const answer = isStream ? await joined(await chat.stream(messages)) : await chat.invoke(messages)
    const calls = answer.tool_calls ?? []
    messages.push(answer)
    answers.push({
      text: answer.text,
      reasoning: textOf(answer.additional_kwargs['reasoning_content']),
      callIds: calls.map(({ id }) => id ?? ''),
    })
    if (calls.length === 0) break
    for (const { id = '', name, args } of calls) {
      const toolName = task.toolNames.find((each) => each === name)
      if (toolName === undefined) throw new Error(`no tool ${name}`)
      messages.push(new ToolMessage({ tool_call_id: id, name, content: tools.run(toolName, args) }))
    }
  }
  return { answers }
}

// Of the fields that reasoning comes in, LangChain keeps this one.
describeAdapter('LangChain with createFetch', runTask, { fields: ['content', 'reasoning_content'] })

async function joined(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of chunks) whole = whole?.concat(chunk) ?? chunk
  if (whole === undefined) throw new Error('the answer is empty')
  return whole
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
