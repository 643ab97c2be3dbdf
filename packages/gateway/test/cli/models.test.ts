import { afterEach, describe, expect, it } from 'vitest'
import { json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { dragoman } from './in-process.ts'

afterEach(stopUpstreams)

async function serverWith(...data: readonly object[]): Promise<string> {
  const upstream = await startUpstream((response) => json(response, 200, { object: 'list', data }))
  return upstream.url
}

describe('dragoman models', () => {
  it('lists what can be asked for, with the windows that the server tells', async () => {
    const url = await serverWith({ id: 'kimi-k2', owned_by: 'vllm', max_model_len: 65_536 }, { id: 'other' })
    const { code, stdout } = await dragoman(['models', '--upstream', url])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^model +window +answer\nkimi-k2 +65,536\nother\n$/)
  })

  it('--as gives the catalogue of Codex, with an entry for each', async () => {
    const url = await serverWith({ id: 'kimi-k2', owned_by: 'vllm', max_model_len: 65_536 }, { id: 'other' })
    const { stdout } = await dragoman(['models', '--upstream', url, '--as', 'openai-responses'])
    expect(JSON.parse(stdout)).toMatchObject({
      models: [
        { slug: 'kimi-k2', context_window: 65_536, apply_patch_tool_type: 'freeform' },
        { slug: 'other', apply_patch_tool_type: 'freeform' },
      ],
    })
  })

  it('has the model that is named where the server lists none', async () => {
    const { code, stdout } = await dragoman([
      'models',
      '--upstream',
      await serverWith(),
      '--model',
      'org/model-1',
    ])
    expect([code, stdout.includes('org/model-1')]).toEqual([0, true])
  })

  it('says where there is none, and which dialects there are', async () => {
    const none = await dragoman(['models', '--upstream', await serverWith()])
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no model is known')])
    const wrong = await dragoman(['models', '--as', 'openai-response'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean openai-responses?')])
  })
})
