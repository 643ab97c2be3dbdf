/**
 * Whether an upstream refused a request because a message that calls tools came without the reasoning before it. Only
 * the vendors of some models demand it, so it is not sent where nobody asks for it.
 */
export function demandsLostReasoning({ message }: { readonly message: string }): boolean {
  const text = message.slice(0, LONGEST_READ)
  return wordings.some((words) => words.test(text))
}

/** A message may repeat the whole request. */
const LONGEST_READ = 2000

const wordings = [
  // DeepSeek
  /\breasoning_content\b.{0,60}\bmust be passed back\b/,
  // Moonshot
  /\breasoning_content is (?:missing|required)\b/,
  /\b(?:no|without|missing|requires?) [`'"]?reasoning_content\b/,
] as const
