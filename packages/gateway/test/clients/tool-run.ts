import { expect } from 'vitest'
import { at } from '../server/ask.ts'
import type { Combination } from './combinations.ts'
import type { Lab } from './lab.ts'

/** What a client made of a conversation with tools. */
interface ToolRun {
  /** The model's answers in order; the last one calls nothing. */
  readonly answers: readonly ClientAnswer[]
}

export interface ClientAnswer {
  readonly text: string
  readonly reasoning: string
  readonly callIds: readonly string[]
}

export interface Task {
  readonly prompt: string
  readonly toolNames: readonly ToolName[]
  /** The calls of each round. */
  readonly rounds: readonly (readonly { readonly name: ToolName; readonly city: string }[])[]
}

type ToolName = 'get_weather' | 'get_time'

/** Asks with tools, runs what the model calls, and goes on until it calls nothing. */
export type RunTask = (lab: Lab, combination: Combination, task: Task, tools: LocalTools) => Promise<ToolRun>

export const citySchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const

export const oneCall: Task = {
  prompt: 'What is the weather in Paris?',
  toolNames: ['get_weather'],
  rounds: [[{ name: 'get_weather', city: 'Paris' }]],
}

export const twoRounds: Task = {
  prompt: 'First get_weather in Paris, then get_time in Oslo.',
  toolNames: ['get_weather', 'get_time'],
  rounds: [[{ name: 'get_weather', city: 'Paris' }], [{ name: 'get_time', city: 'Oslo' }]],
}

export const parallelCalls: Task = {
  prompt: 'Get me the weather in Paris and Oslo at once.',
  toolNames: ['get_weather'],
  rounds: [
    [
      { name: 'get_weather', city: 'Paris' },
      { name: 'get_weather', city: 'Oslo' },
    ],
  ],
}

/** The functions behind the tools. Each result is new, so that nobody can know it without having run one. */
class LocalTools {
  readonly ran: { readonly name: ToolName; readonly input: unknown; readonly result: string }[] = []

  run(name: ToolName, input: unknown): string {
    const result = `reading ${crypto.randomUUID()} for ${String(at(input, 'city'))}`
    this.ran.push({ name, input, result })
    return result
  }
}

export async function expectTask(
  runTask: RunTask,
  lab: Lab,
  combination: Combination,
  task: Task,
): Promise<void> {
  const tools = new LocalTools()
  const { answers } = await runTask(lab, combination, task, tools)
  const calls = task.rounds.flat()
  expect(tools.ran.map(({ name, input }) => ({ name, input }))).toEqual(
    calls.map(({ name, city }) => ({ name, input: { city } })),
  )
  // Compared whole: a marker that leaks, a letter that is lost and a problem with the history all show.
  expect(answers.map(({ text, reasoning }) => ({ text: text.trim(), reasoning: reasoning.trim() }))).toEqual([
    ...task.rounds.map((round) => said(combination, round)),
    concluded(combination, tools.ran.slice(-(task.rounds.at(-1)?.length ?? 0))),
  ])
  const ids = answers.flatMap(({ callIds }) => callIds)
  expect(new Set(ids.filter((id) => id !== '')).size).toBe(calls.length)
  const sent = JSON.stringify(lab.simulator.requests.at(-1)?.body)
  expect(tools.ran.filter(({ result }) => !sent.includes(result))).toEqual([])
}

/** What the simulated model says when it calls. Inside a reasoning field it writes the calls and no text. */
function said(
  { field, isStructured, isBare, thinks }: Combination,
  round: Task['rounds'][number],
): Omit<ClientAnswer, 'callIds'> {
  const names = round.map(({ name }) => name).join(' and ')
  return {
    text: (field === 'content' && !isBare) || isStructured ? `[simulated] I will call ${names}.` : '',
    reasoning: thinks ? `A simulated thought: I need ${names} for this.` : '',
  }
}

function concluded({ thinks }: Combination, results: LocalTools['ran']): Omit<ClientAnswer, 'callIds'> {
  return {
    text: `[simulated] ${results.map(({ name, result }) => `${name} answered: ${result}`).join('\n')}`,
    reasoning: thinks ? 'A simulated thought: the results are here.' : '',
  }
}
