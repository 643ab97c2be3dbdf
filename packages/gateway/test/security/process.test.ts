import { dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { readers, requests } from '../../faults/dialects.ts'
import { post } from '../server/ask.ts'
import { startProgram, stopPrograms } from '../cli/running-program.ts'
import { chunk, sse, startUpstream, stopUpstreams, until } from '../server/scripted-upstream.ts'

afterEach(() => {
  stopPrograms()
  stopUpstreams()
})

describe('a process in which nobody may use __proto__', () => {
  it('answers in every dialect', async () => {
    const env = { NODE_OPTIONS: '--disable-proto=throw' }
    const { address, child, exit } = await startProgram(['serve', '--port', '0'], { env })
    for (const client of dialectIds) {
      for (const wants of ['stream', 'whole'] as const) {
        const { path, body } = requests[client]('kimi-k2', wants)
        const reply = await post(address, path, String(body))
        const received = { status: reply.status, is: wants, body: await reply.text() } as const
        expect(readers[client](received)).toMatchObject({ failure: null, calls: [{ name: 'get_weather' }] })
      }
    }
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })
})

/** A fault of ours that nobody catches, whenever the process gets this signal. */
const ways = [
  ['an exception', "throw new Error('planted bug')"],
  ['a rejection', "void Promise.reject(new Error('planted bug'))"],
] as const

describe.each(ways)('%s that nobody catches', (_name, fault) => {
  it('is logged; what is under way ends, nothing new begins, and the exit code is 1', async () => {
    const endings: (() => void)[] = []
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ content: 'Sunny' }))
      endings.push(() => {
        sse(response, chunk({ content: ' day.' }, 'stop'), '[DONE]')
        response.end()
      })
    })
    const source = `process.on('SIGUSR2', () => { ${fault} })`
    const { address, child, exit, stderr } = await startProgram(
      ['serve', '--port', '0', '--upstream', upstream.url],
      { env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` } },
    )
    const { path, body } = requests['openai-chat']('m', 'stream')
    const reply = await post(address, path, String(body))
    child.kill('SIGUSR2')
    await until(() => stderr().includes('planted bug'))
    const late = await post(address, path, String(body)).then(
      ({ status }) => status,
      () => 'refused',
    )
    expect([503, 'refused']).toContain(late)
    for (const finish of endings) finish()
    expect(await reply.text()).toContain('[DONE]')
    expect(await exit).toBe(1)
    expect(stderr()).toContain('our own bug')
  })
})
