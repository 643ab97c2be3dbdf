import { runOpenAi } from './run-openai.ts'
import { describeClient } from './suite.ts'

describeClient('the OpenAI SDK', runOpenAi())
