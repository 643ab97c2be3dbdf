import { DragomanError } from '@dragoman/core'
import type { Imitation } from './imitation.ts'
import { desktopImitations } from './imitations-desktop.ts'
import { hostedImitations } from './imitations-hosted.ts'
import { localImitations } from './imitations-local.ts'
import { vllmImitations } from './imitations-vllm.ts'

/** Every server that the simulator can play. */
const imitations: readonly Imitation[] = [
  ...vllmImitations,
  ...localImitations,
  ...desktopImitations,
  ...hostedImitations,
]

export const imitationNames: readonly string[] = imitations.map(({ name }) => name)

export function getImitation(name: string): Imitation {
  const imitation = imitations.find((each) => each.name === name)
  if (imitation !== undefined) return imitation
  throw new DragomanError(
    'invalid-option',
    `The simulator cannot imitate "${name}". It can: ${imitationNames.join(', ')}.`,
  )
}
