import { describe, expect, it } from 'vitest'
import { calls, chunk, done, event } from '../openai-chat/upstream.ts'
import { agentsSee, aiSdkSees } from './other-sdks.ts'
import { through, type WayOptions } from './upstream.ts'

const way: WayOptions = { from: 'openai-chat', to: 'openai-responses' }
const opened = calls({
  index: 0,
  id: 'call_a',
  type: 'function',
  function: { name: 'f', arguments: '{"x":' },
})
const failure = event({ error: { message: 'The engine died.', type: 'server_error', code: 500 } })

describe.each([
  ['the AI SDK', aiSdkSees],
  ['the Agents SDK', agentsSee],
])('%s', (_, sees) => {
  it.each([
    ['that fails in its text', chunk({ content: 'So' }) + failure],
    ['that fails in a call', chunk({ content: 'So' }) + opened + failure],
    ['that fails before it says anything', failure],
    ['that is cut off in its text', chunk({ content: 'So' })],
    ['that is cut off in a call', opened],
    ['that says nothing', chunk({}, 'stop') + done],
  ])('does not take an answer %s for a whole one, nor half a call for a call', async (__, body) => {
    expect(await sees(through(body, way))).toMatchObject({ isWhole: false, calls: [] })
  })
})
