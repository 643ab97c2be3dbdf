/** The prompts of coding agents take more than ten thousand tokens before the first word of the user. */
export const LEAST_WINDOW = 32_768

/** Whether a window is known, and holds less than coding agents need. */
export function isTooSmall(window: number | null | undefined): boolean {
  return typeof window === 'number' && window < LEAST_WINDOW
}
