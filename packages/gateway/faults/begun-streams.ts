import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../test/server/scripted-upstream.ts'
import { answeredWith, dialectNames, said, Speech, text, unended } from './dialects.ts'
import { FaultWorld, type Got } from './fault-world.ts'
import type { Wire } from './raw-upstream.ts'

// Programs that are started for one test, and streams in them that have begun and not ended.

const worlds: FaultWorld[] = []

export async function startWorld(
  settings: Readonly<Record<string, unknown>> = {},
  how: Parameters<typeof FaultWorld.start>[2] = {},
): Promise<FaultWorld> {
  const world = await FaultWorld.start({}, settings, how)
  worlds.push(world)
  return world
}

export async function stopWorlds(): Promise<void> {
  for (const world of worlds.splice(0)) await world.stop()
}

export const speech = new Speech('openai-chat')
export const half = speech.events(unended([text('Paris is ')]))
export const rest = speech.events(said([text('sunny.')])).slice(1)

export const answered = answeredWith(speech, said([text('Sunny.')]))

/** A stream in each dialect that has begun, and how it goes on. */
export async function streamsIn(
  world: FaultWorld,
  name: string,
): Promise<readonly { client: string; got: Promise<Got>; finish: () => void }[]> {
  const streams = dialectNames.map((client) => {
    const model = `openai-chat.${name}-${client}`
    let wire: Wire | null = null
    world.upstream.play(model, (own) => {
      wire = own.stream().send(...half)
    })
    const got = world.ask({ client, wants: 'stream', model })
    got.catch(() => {})
    return { client, model, got, finish: () => wire?.send(...rest).end() }
  })
  await until(() => streams.every(({ model }) => world.upstream.countOf(model) === 1))
  await sleep(50)
  return streams
}

export async function readiness(world: FaultWorld): Promise<number> {
  return (await world.send({ method: 'GET', path: '/health/ready', body: '' })).status
}
