/** Tokens with which chat templates end or begin a turn. Any server may let one slip through. */
export const commonTurnTokens: readonly string[] = [
  '<|im_end|>',
  '<|im_start|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|observation|>',
  '</s>',
]
