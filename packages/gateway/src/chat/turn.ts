import type { Content, ToolCallBlock } from '@dragoman/core'
import type { ChatEvent } from './chat-event.ts'
import { askModel, type ModelWorld } from './model/ask-model.ts'
import { chatRequest } from './model/chat-request.ts'
import type { ModelChoices } from './model/model-choice.ts'
import type { Permission } from './permission.ts'
import type { Session } from './session.ts'
import { runTool } from './tools/toolbox.ts'
import type { WorkFolder } from './tools/work-folder.ts'

/** The most rounds of calls: a model that calls tools again and again would cost money for ever. */
const MOST_ROUNDS = 40
/** How many answers are kept in the form in which they came. */
const MOST_KEPT = 8

export interface TurnWorld extends ModelWorld {
  readonly choices: ModelChoices
  readonly permission: Permission
  readonly folder: WorkFolder
  readonly env: NodeJS.ProcessEnv
  readonly show: (event: ChatEvent) => void
}

export type TurnEnd = 'answered' | 'stopped' | 'failed'

/** Lets the model answer. Where it calls tools, they run, and it continues with their results until it calls none. */
export async function takeTurn(session: Session, world: TurnWorld, signal: AbortSignal): Promise<TurnEnd> {
  session.answers = []
  return takeRound(session, world, signal, MOST_ROUNDS)
}

async function takeRound(
  session: Session,
  world: TurnWorld,
  signal: AbortSignal,
  roundsLeft: number,
): Promise<TurnEnd> {
  const { show } = world
  const route = world.choices.route(session.model)
  if (route === undefined) {
    show({ type: 'error', code: 'model_not_found', message: `There is no model "${session.model}".` })
    return 'failed'
  }
  if (roundsLeft === 0) {
    show({ type: 'note', message: `Stopped after ${MOST_ROUNDS} rounds of tool calls. /retry goes on.` })
    return 'stopped'
  }
  const { model, contents, usesTools, toolFormat } = session
  const request = chatRequest({ model, contents, usesTools, folder: world.folder.path })
  const asked = { ...route, format: toolFormat ?? route.format }
  const { end, content, kept } = await askModel(request, asked, world, show, signal)
  if (kept !== null) session.answers = [...session.answers, kept].slice(-MOST_KEPT)
  if (content !== null) await session.add(content)
  switch (end.is) {
    case 'stopped':
      show({ type: 'stopped' })
      return 'stopped'
    case 'failed':
      show({ type: 'error', code: end.failure.code, message: end.failure.message })
      return 'failed'
    case 'finished':
      show({ type: 'finish', reason: end.reason })
  }
  const calls = callsIn(content)
  if (calls.length === 0) return 'answered'
  await runCalls(calls, session, world, signal)
  if (!signal.aborted) return takeRound(session, world, signal, roundsLeft - 1)
  show({ type: 'stopped' })
  return 'stopped'
}

function callsIn(content: Content | null): ToolCallBlock[] {
  return content === null ? [] : content.blocks.filter((block) => block.type === 'tool_call')
}

/**
 * Tools run one after the other, as two that need permission would ask at once. Each result is stored as soon as it
 * exists.
 */
async function runCalls(
  [call, ...others]: readonly ToolCallBlock[],
  session: Session,
  world: TurnWorld,
  signal: AbortSignal,
): Promise<void> {
  if (call === undefined) return
  const { show, permission, folder, env } = world
  const { id, name } = call
  const { result, isError } = await runTool(call, {
    permission,
    world: { folder, env, signal },
    onStart: () => show({ type: 'tool-start', id, name }),
  })
  show({ type: 'tool-end', id, name, result, isError })
  const response = { type: 'tool_response', callId: id, toolName: name, result } as const
  await session.add({ speaker: 'tool', blocks: [isError ? { ...response, isError } : response] })
  return runCalls(others, session, world, signal)
}
