import { familyCombinations } from './combinations.ts'
import { runResponses } from './run-responses.ts'
import { describeClient } from './suite.ts'

describeClient('44. the OpenAI SDK, which asks for responses', runResponses('stream helper'))

describeClient('44. the OpenAI SDK, whose user reads each event of a response', runResponses('events'), {
  all: familyCombinations.filter(({ isStream }) => isStream),
  plain: [],
  ofEach: 2,
})
