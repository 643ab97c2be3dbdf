import { DragomanError } from '@dragoman/core'
import type { Imitation } from './imitation.ts'
import { vllmImitations } from './imitations-vllm.ts'

/** Every server that the simulator can play. */
const imitations: readonly Imitation[] = [...vllmImitations]

export const imitationNames: readonly string[] = imitations.map(({ name }) => name)

export function getImitation(name: string): Imitation {
  const imitation = imitations.find((each) => each.name === name)
  if (imitation !== undefined) return imitation
  throw new DragomanError(
    'invalid-option',
    `The simulator cannot imitate "${name}". It can: ${imitationNames.join(', ')}.`,
  )
}
