import {
  type Content,
  FinishReason,
  type GenerateContentParameters,
  GoogleGenAI,
  type GenerateContentResponse,
  type Part,
} from '@google/genai'
import { citySchema, type ClientAnswer, type RunTask } from './tool-run.ts'

/** Lets the SDK of Google run a task. It sends every part back that it was given. */
export const runGenAi: RunTask = async ({ address }, { model, isStream }, task, tools) => {
  const client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: address } })
  const config = {
    thinkingConfig: { includeThoughts: true },
    tools: [
      { functionDeclarations: task.toolNames.map((name) => ({ name, parametersJsonSchema: citySchema })) },
    ],
  }
  const contents: Content[] = [{ role: 'user', parts: [{ text: task.prompt }] }]
  const answers: ClientAnswer[] = []
  const round = async (left: number): Promise<void> => {
    const take = isStream ? streamedParts : wholeParts
    const parts = await take(client, { model, contents: [...contents], config })
    answers.push(readParts(parts))
    contents.push({ role: 'model', parts })
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
    if (calls.length === 0) return
    const results = calls.map(({ id = '', name = '', args }) => {
      const tool = task.toolNames.find((each) => each === name)
      if (tool === undefined) throw new Error(`nobody has the tool ${name}`)
      return { functionResponse: { id, name, response: { output: tools.run(tool, args) } } }
    })
    contents.push({ role: 'user', parts: results })
    if (left > 0) await round(left - 1)
  }
  await round(5)
  return { answers }
}

type TakeParts = (client: GoogleGenAI, body: GenerateContentParameters) => Promise<Part[]>

const wholeParts: TakeParts = async (client, body) => finished([await client.models.generateContent(body)])

const streamedParts: TakeParts = async (client, body) => {
  const answers: GenerateContentResponse[] = []
  for await (const answer of await client.models.generateContentStream(body)) answers.push(answer)
  return finished(answers)
}

/** The SDK does not mind an answer that never says that it is over. */
function finished(answers: readonly GenerateContentResponse[]): Part[] {
  const reason = answers.at(-1)?.candidates?.[0]?.finishReason
  if (reason !== FinishReason.STOP) throw new Error(`the answer ended with ${reason}`)
  return answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
}

function readParts(parts: readonly Part[]): ClientAnswer {
  return {
    text: parts.map(({ text = '', thought }) => (thought === true ? '' : text)).join(''),
    reasoning: parts.map(({ text = '', thought }) => (thought === true ? text : '')).join(''),
    callIds: parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.id ?? ''])),
  }
}
