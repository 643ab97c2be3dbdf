import { afterEach, describe, expect, it } from 'vitest'
import { ask, inTurn } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { startForgetful, stopForgetful } from './forgetful-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopForgetful()
})

describe('an upstream whose kept connections are all dead', () => {
  it('is asked once more on a new one', async () => {
    const { address } = await startGateway({ upstream: await startForgetful() })
    const request = (): Promise<number> =>
      ask(address, 'openai', { stream: false }).then(({ status }) => status)
    const together = await Promise.all(Array.from({ length: 8 }, request))
    const after: number[] = []
    await inTurn([1, 2, 3, 4, 5], async () => {
      after.push(await request())
    })
    expect([...together, ...after]).toEqual(Array.from({ length: 13 }, () => 200))
  })
})
