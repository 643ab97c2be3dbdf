import { type Content, GoogleGenAI, type GenerateContentResponse } from '@google/genai'
import { vi } from 'vitest'

/** What Google's own SDK makes of a stream: its chunks, and the error with which it ended, if it did. */
export async function readByGenai(
  writes: readonly string[],
): Promise<{ readonly chunks: readonly GenerateContentResponse[]; readonly error: string | null }> {
  vi.stubGlobal('fetch', () => Promise.resolve(responseOf(writes)))
  const chunks: GenerateContentResponse[] = []
  try {
    const stream = await newClient().models.generateContentStream({ model: 'm', contents: 'Hello' })
    for await (const chunk of stream) chunks.push(chunk)
    return { chunks, error: null }
  } catch (error) {
    return { chunks, error: String(error) }
  } finally {
    vi.unstubAllGlobals()
  }
}

/** What a chat of Google's SDK goes on with behind an answer. A turn that does not suit it is not among that. */
export async function rememberedByGenai(writes: readonly string[]): Promise<readonly Content[]> {
  vi.stubGlobal('fetch', () => Promise.resolve(responseOf(writes)))
  try {
    const chat = newClient().chats.create({ model: 'm' })
    const stream = await chat.sendMessageStream({ message: 'Hello' })
    while ((await stream.next()).done !== true);
    return chat.getHistory(true)
  } finally {
    vi.unstubAllGlobals()
  }
}

function newClient(): GoogleGenAI {
  return new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: 'http://127.0.0.1:1' } })
}

function responseOf(writes: readonly string[]): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of writes) controller.enqueue(encoder.encode(text))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
