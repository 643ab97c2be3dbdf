/** The fields of a message that reasoning is known to stand in as text, the most usual first. */
export const reasoningTextFields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const
