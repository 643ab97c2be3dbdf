import { runGenAi } from './run-genai.ts'
import { describeClient } from './suite.ts'

describeClient('the SDK of Google', runGenAi)
