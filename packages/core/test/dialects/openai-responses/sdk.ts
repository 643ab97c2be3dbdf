import OpenAI from 'openai'
import type { Response as SdkResponse } from 'openai/resources/responses/responses'

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
