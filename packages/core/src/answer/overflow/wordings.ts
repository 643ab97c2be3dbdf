/** One way in which servers say that something is too long. */
export interface Wording {
  /**
   * What it is about. `by numbers`: one sentence for a prompt that is too long and for a sum that is, which only the
   * numbers tell apart.
   */
  readonly what: 'prompt' | 'sum' | 'output' | 'by numbers'
  /**
   * Named groups are numbers: `prompt`, and `more` of it; `output`, what was asked for; `total`, both together;
   * `window`; `most`, the longest output; `characters`, the prompt in characters. `bound` is there where the prompt is
   * said to be at least that long.
   */
  readonly words: RegExp
  /**
   * The server reads no more of a prompt than one token beyond what fits, and counts that: of such a sum the prompt is
   * only a lower bound.
   */
  readonly clips?: true
}

/** The first that fits counts. Digits have no commas between them when they are looked at. */
export const wordings: readonly Wording[] = [
  // vLLM from 0.18 on.
  {
    what: 'by numbers',
    clips: true,
    words:
      /maximum context length is (?<window>\d+) tokens\. However, (?:you requested (?<output>\d+) output tokens and )?your prompt contains (?<bound>at least )?(?<prompt>\d+) input tokens/i,
  },
  {
    what: 'by numbers',
    words:
      /maximum context length is (?<window>\d+) tokens\. However, (?:you requested (?<output>\d+) output tokens and )?your prompt contains (?<characters>\d+) characters/i,
  },
  // vLLM 0.16 and 0.17.
  {
    what: 'by numbers',
    clips: true,
    words:
      /You passed (?<prompt>\d+) input tokens and requested (?<output>\d+) output tokens\. However, the model's context length is only (?<window>\d+)/i,
  },
  {
    what: 'by numbers',
    words:
      /You passed (?<characters>\d+) input characters and requested (?<output>\d+) output tokens\. However, the model's context length is only (?<window>\d+)/i,
  },
  // vLLM 0.10 to 0.15.
  {
    what: 'by numbers',
    words:
      /is too large: (?<output>\d+)\. This model's maximum context length is (?<window>\d+) tokens and your request has (?<prompt>\d+) input tokens/i,
  },
  // vLLM up to 0.9, DeepSeek, older models of OpenAI; OpenRouter, which leaves out the parts that are zero.
  {
    what: 'by numbers',
    words:
      /maximum context length is (?<window>\d+) tokens\. However, you requested (?:about )?(?<total>\d+) tokens \((?:[^)]*?\b(?<output>\d+) in the (?:completion|output)\)|[^)]*\bin(?:put| the messages)\))/i,
  },
  {
    what: 'sum',
    words:
      /maximum context length is (?<window>\d+) tokens\. However, you requested (?:about )?(?<total>\d+) tokens/i,
  },
  // vLLM of any version, in its engine.
  {
    what: 'output',
    words: /max_tokens=(?<output>\d+) cannot be greater than max_model_len=\D*(?<window>\d+)/i,
  },
  {
    what: 'prompt',
    words: /prompt \(length (?<prompt>\d+)\) is longer than the maximum model length of (?<window>\d+)/i,
  },
  // The front end of vLLM that is written in Rust.
  {
    what: 'prompt',
    words:
      /maximum context length is (?<window>\d+) tokens, but the prompt contains (?<prompt>\d+) input tokens/i,
  },
  // SGLang; Together has the first one too.
  {
    what: 'prompt',
    words:
      /input \((?<prompt>\d+) tokens\) is longer than the model's context length \((?<window>\d+) tokens\)/i,
  },
  {
    what: 'by numbers',
    words:
      /maximum context length of (?<window>\d+) tokens\. You requested a total of (?<total>\d+) tokens: (?<prompt>\d+) tokens from the input messages and (?<output>\d+) tokens for the completion/i,
  },
  {
    what: 'prompt',
    words:
      /Input length \((?<prompt>\d+) tokens\) exceeds the maximum allowed length \((?<window>\d+) tokens\)/i,
  },
  // llama.cpp.
  {
    what: 'prompt',
    words: /request \((?<prompt>\d+) tokens\) exceeds the available context size \((?<window>\d+) tokens\)/i,
  },
  { what: 'prompt', words: /input prompt is too big compared to KV size/i },
  // LM Studio. The last is said in the middle of an answer, when prompt and answer have filled the window.
  {
    what: 'prompt',
    words:
      /tokens to keep from the initial prompt is greater than the context length(?: \(n_keep: (?<prompt>\d+) ?>= n_ctx: (?<window>\d+)\))?/i,
  },
  {
    what: 'prompt',
    words:
      /Trying to keep the first (?<prompt>\d+) tokens when context the overflows.{0,80}context length of only (?<window>\d+) tokens/i,
  },
  { what: 'sum', words: /Reached context length of (?<window>\d+) tokens/i },
  // TGI, and who runs it.
  {
    what: 'by numbers',
    words:
      /`inputs` tokens \+ `max_new_tokens` must be <= (?<window>\d+)\. Given: (?<prompt>\d+) `inputs` tokens and (?<output>\d+) `max_new_tokens`/i,
  },
  { what: 'prompt', words: /`inputs` must have less than (?<window>\d+) tokens\. Given: (?<prompt>\d+)/i },
  // TensorRT-LLM.
  {
    what: 'by numbers',
    words:
      /prompt length \((?<prompt>\d+)(?:\.\d+)?\)\D{1,8}query length \((?<more>\d+)(?:\.\d+)?\)\D{1,8}max_tokens \((?<output>\d+)\) should not exceed max_seq_len \((?<window>\d+)\)/i,
  },
  // Moonshot counts what was asked for with the prompt.
  {
    what: 'sum',
    words: /exceeded model token limit(?:: (?<window>\d+))?(?: \(requested: (?<total>\d+)\))?/i,
  },
  // DashScope; DeepSeek has the second one too.
  { what: 'prompt', words: /range of input length should be \[\d+, ?(?<window>\d+)\]/i },
  { what: 'output', words: /range of max_(?:completion_)?tokens (?:should be|is) \[\d+, ?(?<most>\d+)\]/i },
  // Z.ai, MiniMax.
  { what: 'prompt', words: /prompt exceeds max(?:imum)? length/i },
  { what: 'prompt', words: /context window exceeds limit/i },
  // Groq and Cerebras.
  {
    what: 'prompt',
    words:
      /reduce the length of the messages or completion\. Current length is (?<prompt>\d+) while limit is (?<window>\d+)/i,
  },
  { what: 'sum', words: /reduce the length of the messages or completion/i },
  {
    what: 'output',
    words: /max_(?:completion_)?tokens`? must be less than or equal to `?(?<most>\d+)/i,
  },
  // SiliconFlow.
  {
    what: 'prompt',
    words: /length of prompt_tokens \((?<prompt>\d+)\) must be less than max_seq_len \((?<window>\d+)\)/i,
  },
  {
    what: 'sum',
    words: /max_total_tokens \((?<total>\d+)\) must be less than or equal to max_seq_len \((?<window>\d+)\)/i,
  },
  // Fireworks.
  {
    what: 'prompt',
    words: /prompt is too long: (?<prompt>\d+), model maximum context length: (?<window>\d+)/i,
  },
  // Anthropic.
  { what: 'prompt', words: /prompt is too long: (?<prompt>\d+) tokens > (?<window>\d+)/i },
  {
    what: 'by numbers',
    words:
      /input length and `max_tokens` exceed context limit: (?<prompt>\d+) \+ (?<output>\d+) > (?<window>\d+)/i,
  },
  {
    what: 'output',
    words: /max_tokens: (?<output>\d+) > (?<most>\d+), which is the maximum allowed number/i,
  },
  // OpenAI.
  {
    what: 'prompt',
    words:
      /maximum context length is (?<window>\d+) tokens\. However, your messages resulted in (?<prompt>\d+) tokens/i,
  },
  {
    what: 'prompt',
    words: /exceeds? the configured limit of (?<window>\d+) tokens.{0,80}?resulted in (?<prompt>\d+)/i,
  },
  {
    what: 'output',
    words:
      /max_(?:completion_)?tokens is too large: (?<output>\d+)\. This model supports at most (?<most>\d+)/i,
  },
  // xAI, Copilot, Bedrock, Doubao, Gemini, Mistral.
  {
    what: 'prompt',
    words: /maximum prompt length is (?<window>\d+) but the request contains (?<prompt>\d+)/i,
  },
  { what: 'prompt', words: /prompt token count of (?<prompt>\d+) exceeds the limit of (?<window>\d+)/i },
  { what: 'prompt', words: /input is too long for requested model/i },
  {
    what: 'prompt',
    words: /input_ids is `?(?<prompt>\d+)`? and exceeds? max_sequence_length: `?(?<window>\d+)/i,
  },
  {
    what: 'prompt',
    words:
      /input token count(?: \((?<prompt>\d+)\))? exceeds the maximum number of tokens allowed(?: \((?<window>\d+)\))?/i,
  },
  {
    what: 'prompt',
    words:
      /prompt contains (?<prompt>\d+) tokens.{0,80}too large for model with (?<window>\d+) maximum context length/i,
  },
  // What servers that nobody has listed are likely to say; Ollama among them, which tells no numbers.
  { what: 'prompt', words: /maximum context length (?:is|of) (?<window>\d+)/i },
  { what: 'prompt', words: /prompt is too long|maximum context length/i },
  {
    what: 'prompt',
    words:
      /(?:exceeds?|exceeded|longer than|larger than|too (?:large|long) for)\b.{0,60}\bcontext (?:length|window|size)/i,
  },
  { what: 'prompt', words: /context (?:length|window|size)\b.{0,40}\bexceeded/i },
  { what: 'prompt', words: /input token count.{0,40}exceeds/i },
]

/** Codes and types that mean a prompt which is too long, whatever the message says. 1261 is Z.ai's. */
export const overflowCodes: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'model_context_window_exceeded',
  '1261',
])

/**
 * What is never too long, although such messages may hold words of the table: limits of rate and of time, and
 * llama.cpp's cache that other answers have filled.
 */
export const otherMatters =
  /rate[ _-]?limit|too many requests|deadline exceeded|timed out|tokens per minute|\(TPM\)|throttling|context size has been exceeded/i
