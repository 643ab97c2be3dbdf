import { createFetch } from '@dragoman/core/fetch'
import { runOpenAi } from '../clients/run-openai.ts'
import { describeAdapter } from './suite.ts'

describeAdapter('the OpenAI SDK with createFetch', runOpenAi(createFetch()))
