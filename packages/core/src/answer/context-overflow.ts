/** The one code for a prompt that is too long, whatever words the upstream has for it. */
export const contextOverflow = 'context_length_exceeded'

/** Whether an upstream's error says that the prompt does not fit into the model's context. */
export function isContextOverflow(code: string, message: string): boolean {
  return overflowCodes.has(code) || overflowWords.some((words) => words.test(message))
}

/** The message as Anthropic words it: clients look for these words and make the conversation shorter. */
export function promptTooLong(message: string): string {
  if (/prompt is too long/i.test(message)) return message
  const limit = limitIn(message)
  const asked = Math.max(...numbersIn(message))
  return limit !== null && asked > limit
    ? `prompt is too long: ${asked} tokens > ${limit} maximum`
    : `prompt is too long: ${message}`
}

const overflowCodes: ReadonlySet<string> = new Set([
  contextOverflow,
  'exceed_context_size_error',
  'context_window_exceeded',
  'model_context_window_exceeded',
])

const overflowWords = [
  /prompt is too long/i,
  /maximum context length/i,
  /(?:exceeds?|exceeded|longer than|larger than|too (?:large|long) for)\b.{0,60}\bcontext (?:length|window|size)/i,
  /context (?:length|window|size)\b.{0,40}\bexceeded/i,
  /exceeded model token limit/i,
  /input token count.{0,40}exceeds/i,
  /range of input length should be/i,
] as const

function limitIn(message: string): number | null {
  for (const pattern of limitPatterns) {
    const digits = pattern.exec(message)?.[1]
    if (digits !== undefined) return Number(digits.replaceAll(',', ''))
  }
  return null
}

const limitPatterns = [
  /(\d[\d,]*) (?:tokens? )?maximum/i,
  /(?:maximum|limit|context (?:length|window|size))\D{0,40}(\d[\d,]*)/i,
] as const

function numbersIn(message: string): number[] {
  return Array.from(message.matchAll(/\d[\d,]*/g), ([digits]) => Number(digits.replaceAll(',', '')))
}
