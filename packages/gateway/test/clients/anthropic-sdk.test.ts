import { runAnthropic } from './run-anthropic.ts'
import { describeClient } from './suite.ts'

describeClient('the Anthropic SDK', runAnthropic())
