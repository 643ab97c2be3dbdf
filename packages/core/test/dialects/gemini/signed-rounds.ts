import { decodeAnthropicRequest } from '../../../src/dialects/anthropic-messages/request/decode.ts'
import { writeEnvelope } from '../../../src/dialects/gemini/envelope.ts'
import { encodeChatRequest } from '../../../src/dialects/openai-chat/request/encode.ts'
import type { ConversationRequest } from '../../../src/request/conversation-request.ts'
import { makeSignature } from '../../../src/request/reasoning-signature.ts'
import type { ChatTarget } from '../../../src/request/target.ts'
import { anthropicBody, readable, valueAt } from '../../request/translation.ts'
import { call, type Fields, model, read, response, user } from './requests.ts'

export function signatures(body: Fields): unknown[] {
  const contents = body['contents']
  return Array.isArray(contents)
    ? contents.flatMap((content: unknown) => {
        const parts = valueAt(content, 'parts')
        return Array.isArray(parts)
          ? parts.flatMap((part: unknown) =>
              valueAt(part, 'functionCall') === undefined ? [] : [valueAt(part, 'thoughtSignature')],
            )
          : []
      })
    : []
}

export const anthropic = (content: Fields[]): ConversationRequest =>
  readable(
    decodeAnthropicRequest(
      anthropicBody({
        messages: [
          { role: 'user', content: 'go' },
          { role: 'assistant', content },
          {
            role: 'user',
            content: content
              .filter(({ type }) => type === 'tool_use')
              .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })),
          },
        ],
      }),
    ),
  ).request

export const use = (id: string): Fields => ({ type: 'tool_use', id, name: 'f', input: {} })

export const by = (field: string): string =>
  makeSignature({ format: 'standard', field, model: 'gemini-x', proof: 'c2ln' })

export const kimi = { model: 'kimi-k2', format: 'kimi' } as const
export const deepseek = { model: 'deepseek-v3', format: 'deepseek' } as const
export const thought = 'Größer – 🙂 ¿qué?'

export function envelope(
  source: { model: string; format: 'kimi' | 'deepseek' | 'standard' },
  text = thought,
): string {
  const signature = makeSignature({ ...source, field: 'reasoning_content' })
  return writeEnvelope([{ signature, thought: text }])
}

/** A round with one tool, the parts of the model as they are given. */
export function round(...parts: Fields[]): Fields {
  return {
    contents: [user({ text: 'go' }), model(...parts), user(response('f', { output: 'done' }, 'a'))],
  }
}

export const signed = (thoughtSignature: string, part: Fields = call('f', {}, 'a')): Fields => ({
  ...part,
  thoughtSignature,
})

export function sentToChat(fields: Fields, target: ChatTarget): unknown {
  const { body } = encodeChatRequest(read(fields).request, target)
  return valueAt(body, 'messages', 1, 'reasoning_content')
}

/** Stands on a first call without a signature. */
export const sentinel = 'skip_thought_signature_validator'
