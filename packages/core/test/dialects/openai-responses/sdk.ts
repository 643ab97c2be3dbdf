import OpenAI from 'openai'
import type { Response as SdkResponse } from 'openai/resources/responses/responses'
import { expect } from 'vitest'
import { expectOthersSee } from './other-sdks.ts'
import { faultsIn } from './schema.ts'
import { eventsIn, outputOf } from './upstream.ts'

/** What the vendor's own SDK makes of a stream. It throws where an event does not fit those before it. */
export async function sdkReads(stream: string): Promise<SdkResponse> {
  const client = new OpenAI({
    apiKey: 'k',
    baseURL: 'http://127.0.0.1:1/v1',
    maxRetries: 0,
    fetch: () =>
      Promise.resolve(
        new Response(stream, { status: 200, headers: { 'content-type': 'text/event-stream' } }),
      ),
  })
  return await client.responses.stream({ model: 'asked-model', input: 'Hi.' }).finalResponse()
}

/** The stream, which the schema of the dialect has to take, the vendor's own SDK, and those of others. */
export async function readable(stream: string): Promise<string> {
  expect(faultsIn(stream)).toEqual([])
  const error = eventsIn(stream).find(({ type }) => type === 'error')
  if (error === undefined) {
    const read = await sdkReads(stream)
    expect(read.output.map(({ type }) => type)).toEqual(outputOf(stream).map(({ type }) => type))
    await expectOthersSee(stream)
  } else {
    // The SDK throws what it is told, and complains about nothing else.
    await expect(sdkReads(stream)).rejects.toThrow(String(error['message']))
  }
  return stream
}
