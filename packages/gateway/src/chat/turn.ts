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
/** As often a model may make the same calls and get the same results. It would go on so for ever. */
const MOST_ALIKE = 5
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
  return takeRound(session, world, signal, { left: MOST_ROUNDS, last: '', alike: 0 })
}

/** The rounds of a turn: calls, and what came of them. */
interface Rounds {
  readonly left: number
  /** The calls and results of the last one. */
  readonly last: string
  /** How often they came one after the other. */
  readonly alike: number
}

async function takeRound(
  session: Session,
  world: TurnWorld,
  signal: AbortSignal,
  rounds: Rounds,
): Promise<TurnEnd> {
  const { show } = world
  const route = world.choices.route(session.model)
  if (route === undefined) {
    show({ type: 'error', code: 'model_not_found', message: `There is no model "${session.model}".` })
    return 'failed'
  }
  if (rounds.left === 0) {
    show({ type: 'note', message: `Stopped after ${MOST_ROUNDS} rounds of tool calls. /retry goes on.` })
    return 'stopped'
  }
  if (rounds.alike === MOST_ALIKE) {
    const message = `Stopped: ${MOST_ALIKE} times the model made the same calls with the same results. /retry goes on.`
    show({ type: 'note', message })
    return 'stopped'
  }
  const { model, contents, usesTools, toolFormat } = session
  const request = chatRequest({ model, contents, usesTools, folder: world.folder.path })
  const asked = { ...route, format: toolFormat ?? route.format }
  const { end, content, cutCall, kept } = await askModel(request, asked, world, show, signal)
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
  if (calls.length === 0) return cutCall === null ? 'answered' : tellCutCall(cutCall, show)
  const results = await runCalls(calls, session, world, signal)
  if (!signal.aborted) return takeRound(session, world, signal, nextRound(rounds, calls, results))
  show({ type: 'stopped' })
  return 'stopped'
}

/** A call that was cut off cannot run, and without its result the model has not answered. */
function tellCutCall(name: string, show: TurnWorld['show']): 'failed' {
  const message = `The answer was cut off inside a call of ${name}, which did not run.`
  show({ type: 'error', code: 'incomplete_tool_call', message })
  return 'failed'
}

function nextRound(
  { left, last, alike }: Rounds,
  calls: readonly ToolCallBlock[],
  results: string[],
): Rounds {
  const round = JSON.stringify([calls.map(({ name, parameters }) => [name, parameters]), results])
  return { left: left - 1, last: round, alike: round === last ? alike + 1 : 1 }
}

function callsIn(content: Content | null): ToolCallBlock[] {
  return content === null ? [] : content.blocks.filter((block) => block.type === 'tool_call')
}

/**
 * Tools run one after the other, as two that need permission would ask at once. Each result is stored as soon as it
 * exists. Resolves to the results.
 */
async function runCalls(
  [call, ...others]: readonly ToolCallBlock[],
  session: Session,
  world: TurnWorld,
  signal: AbortSignal,
): Promise<string[]> {
  if (call === undefined) return []
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
  return [result, ...(await runCalls(others, session, world, signal))]
}
