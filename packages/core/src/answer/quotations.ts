/**
 * Whether a message quotes what a model wrote or a client sent. Such a text may hold the words of any error, and would be
 * taken for one.
 */
export function quotesOthers(message: string): boolean {
  return quotations.test(message)
}

/** llama.cpp and Ollama, where they cannot read a call; servers that check requests with pydantic. */
const quotations = /failed to parse input at pos|error parsing tool call|'input': |\binput_value=/i
