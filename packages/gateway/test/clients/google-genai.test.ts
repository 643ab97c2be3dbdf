import { runGenAi } from './run-genai.ts'
import { describeClient } from './suite.ts'

describeClient('46. the SDK of Google', runGenAi)
