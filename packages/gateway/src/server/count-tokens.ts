import { sendJson } from '../base/send.ts'
import { ruleFor } from '../config/match-model.ts'
import { modelNotFound } from './refusals.ts'
import { type AnswerRouteContext, readRequest } from './answer-route.ts'
import { estimateTokens } from '../exchange/estimate-tokens.ts'

/** `POST /v1/messages/count_tokens`: no upstream is asked, but the model must be one that could be. */
export async function countTokens(context: AnswerRouteContext): Promise<void> {
  const read = await readRequest(context)
  if (read === undefined) return
  const { request } = read
  if (ruleFor(request.model, context.config) === undefined) {
    context.refuse(modelNotFound(request.model))
    return
  }
  sendJson(context.response, 200, { input_tokens: estimateTokens(request) })
}
