import type { DialectName } from '../../core/test/clients-agree/answer.ts'
import { dialectNames, Speech, type Wants } from './dialects.ts'
import type { FaultWorld, Got } from './fault-world.ts'
import type { Script } from './raw-upstream.ts'

/** One way to meet a fault: a client of a dialect that wants its answer so, and an upstream of a dialect. */
export interface Variant {
  readonly client: DialectName
  readonly wants: Wants
  readonly speech: Speech
}

export const variants: readonly Variant[] = dialectNames.flatMap((client) =>
  dialectNames.flatMap((upstream) =>
    (['stream', 'whole'] as const).map((wants) => ({ client, wants, speech: new Speech(upstream) })),
  ),
)

let count = 0

/** Asks in every variant at once; the upstream does in each what the script says. */
export async function inEveryVariant(
  world: FaultWorld,
  script: (speech: Speech) => Script,
  among: readonly Variant[] = variants,
): Promise<readonly (Variant & { readonly got: Got; readonly model: string })[]> {
  return await Promise.all(
    among.map(async (variant) => {
      const model = `${variant.speech.dialect}.case-${count++}`
      world.upstream.play(model, script(variant.speech))
      return { ...variant, model, got: await world.ask({ ...variant, model }) }
    }),
  )
}

export function nameOf({ client, wants, speech }: Variant): string {
  return `${client} client that wants a ${wants === 'stream' ? 'stream' : 'whole answer'}, ${speech.dialect} upstream`
}

/** Clients of Gemini see thoughts only where they ask for them. */
export function thoughtsFor({ client, speech }: Variant, reasoning: string): string {
  return client === 'gemini' && speech.dialect !== 'gemini' ? '' : reasoning
}
