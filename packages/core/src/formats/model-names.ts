import type { FormatId } from './format-id.ts'

export interface ModelNameRow {
  /** Runs over a normalised name: lower case, `-` for `_` and spaces, `.` for the `p` of `v3p1`, `/` for `--`. */
  readonly pattern: RegExp
  readonly format: FormatId
  /** The syntax this release writes, where its name tells. A hint: what the stream shows decides. */
  readonly grammar?: string
  readonly note?: string
}

/** Names that a vendor or a keyword further down would claim wrongly. */
const exceptions: readonly ModelNameRow[] = [
  { pattern: /kimi-?dev/, format: 'hermes', grammar: 'hermes-json', note: 'tuned from Qwen2.5' },
  { pattern: /kimi-?vl/, format: 'standard', note: 'older than the K2 tokens' },
  {
    pattern: /\bk2-?(?:horizon|v3)|(?:^|[/:])ifm\//,
    format: 'k2-horizon',
    grammar: 'k2-horizon',
    note: 'not Kimi',
  },
  { pattern: vendor('llm360', 'mbzuai-ifm'), format: 'standard', note: 'their K2 is not Kimi' },
  {
    pattern: /(?<!kimi-)\bk2-think(?!ing)/,
    format: 'standard',
    note: 'K2-Think is theirs, K2-Thinking is Kimi',
  },

  // A distilled model writes as its base; the teacher's name in it would send it to DeepSeek or Kimi.
  { pattern: /distill.*qwen|qwen.*distill|r1-0528-qwen/, format: 'qwen' },
  { pattern: /distill.*llama|\bllama-?[34].*distill/, format: 'llama', grammar: 'llama3-json' },

  { pattern: /\bglm-?4-\d+b.*-0414/, format: 'glm', note: 'a name and a line of JSON' },
  // Up to 4.1 GLM wrote a name and a line of JSON, not the tags of 4.5; `glm-4-9b` is 4, `glm-4-5` is 4.5.
  { pattern: /chatglm|\bglm-(?:z1|edge)|\bglm-?4(?![.-][5-9](?!\d*b))/, format: 'standard' },
  { pattern: /internlm3|internlm-chat/, format: 'llama', grammar: 'llama3-json', note: 'not as InternLM2' },
]

/**
 * Vendors whose models all speak one format, whatever else the name says. Vendors that also publish other
 * people's models (nvidia, google, openai, unsloth, thudm) are left to the keywords.
 */
const vendors: readonly ModelNameRow[] = [
  { pattern: vendor('moonshot', 'moonshotai'), format: 'kimi' },
  { pattern: vendor('qwen'), format: 'qwen' },
  { pattern: vendor('deepseek', 'deepseek-ai'), format: 'deepseek' },
  { pattern: vendor('z-ai', 'zai-org', 'zai'), format: 'glm' },
  { pattern: vendor('minimax', 'minimaxai'), format: 'minimax' },
  { pattern: vendor('mistral', 'mistralai'), format: 'mistral' },
  { pattern: vendor('meta-llama'), format: 'llama' },
  { pattern: vendor('cohere', 'cohereforai', 'coherelabs'), format: 'cohere' },
  { pattern: vendor('ai21', 'ai21labs', 'ai21-labs'), format: 'jamba' },
]

const keywords: readonly ModelNameRow[] = [
  // Kimi. `k2` only as a word: mark2, k20 and talk2me are other models.
  { pattern: /kimi-?k3/, format: 'kimi', grammar: 'kimi-k3' },
  { pattern: /kimi-?k2|kimi-?linear|\bk2\b/, format: 'kimi', grammar: 'kimi-k2' },
  {
    pattern: /kimi|moonshot-v/,
    format: 'kimi',
    note: 'kimi-latest and kimi-for-coding move between generations',
  },

  // Fine-tunes that name their base as well: ahead of Qwen, Llama and Mistral, whose syntax they gave up.
  { pattern: /hermes-?[2-9]/, format: 'hermes', grammar: 'hermes-json' },
  { pattern: /\bmiro-?thinker/, format: 'mirothinker', grammar: 'use-mcp-tool' },
  { pattern: /\bxlam/, format: 'xlam', grammar: 'xlam-array' },
  { pattern: /\btoolace/, format: 'pythonic', grammar: 'pythonic-bare' },
  { pattern: /functionary.*v3\.1/, format: 'functionary', grammar: 'functionary-v3.1' },
  { pattern: /functionary.*v3\.2/, format: 'functionary', grammar: 'functionary-v3.2' },
  { pattern: /functionary/, format: 'functionary' },
  { pattern: /firefunction/, format: 'phi', grammar: 'functools' },

  // Qwen. Coder and 3.5 on write XML, so they stand before `qwen3`; qwen-7b is a size, not a version.
  {
    pattern: /qwen-?3-?coder|qwen-?3\.[5-9]|qwen-?[4-9](?!\d*b)/,
    format: 'qwen',
    grammar: 'qwen3-coder-xml',
  },
  {
    pattern: /qwen-?[23](?!\d*b)|qwq/,
    format: 'qwen',
    grammar: 'hermes-json',
    note: '2.5-Coder often omits the tag',
  },
  { pattern: /qwen|qvq/, format: 'qwen', note: 'qwen-max and qwen-plus move between generations' },

  // DeepSeek. V4 needs its `v` (a 4bit quant is not V4); V3.2-Exp still writes as V3.1; v3-250324 is a date.
  { pattern: /deepseek.*\bv-?4[.-]1(?!\d)/, format: 'deepseek', grammar: 'deepseek-v4.1' },
  { pattern: /deepseek.*\bv-?[4-9]/, format: 'deepseek', grammar: 'deepseek-dsml' },
  { pattern: /deepseek.*v3[.-]2-exp/, format: 'deepseek', grammar: 'deepseek-v3.1' },
  { pattern: /deepseek.*v3[.-]2(?!\d)/, format: 'deepseek', grammar: 'deepseek-dsml' },
  { pattern: /deepseek.*(?:v3[.-]1(?!\d)|terminus)/, format: 'deepseek', grammar: 'deepseek-v3.1' },
  {
    pattern: /deepseek\.v3-v1/,
    format: 'deepseek',
    grammar: 'deepseek-v3.1',
    note: 'what Bedrock calls V3.1',
  },
  { pattern: /deepseek.*(?:v3|r1)|cogito.*deepseek|cogito-v2/, format: 'deepseek', grammar: 'deepseek-v3' },
  { pattern: /deepseek/, format: 'deepseek', note: 'deepseek-chat and -reasoner move between generations' },

  // GLM and who writes its tags. Ring and Ling need a boundary and a version: string-, starling-.
  { pattern: /\bglm-?5\.3-?flash/, format: 'glm', grammar: 'glm-name-json' },
  { pattern: /\bglm-?(?:4[.-])?[5-9](?!\d*b)/, format: 'glm', grammar: 'glm-xml' },
  { pattern: /\blaguna\b/, format: 'glm', grammar: 'glm-xml' },
  { pattern: /\b[rl]ing-(?:v?\d|mini|flash|lite|plus|max|linear)/, format: 'glm', grammar: 'glm-xml' },

  // MiniMax: three generations, three syntaxes; a bare `minimax` is M2.
  { pattern: /minimax-?m3|\bmm-m3/, format: 'minimax', grammar: 'minimax-m3-xml' },
  { pattern: /minimax-?(?:m1|text|vl|01)/, format: 'minimax', grammar: 'minimax-m1-jsonl' },
  { pattern: /minimax/, format: 'minimax', grammar: 'minimax-m2-xml' },

  { pattern: /gpt-?oss/, format: 'gpt-oss', grammar: 'harmony' },
  { pattern: /\btoolace\b/, format: 'pythonic', grammar: 'pythonic-bare', note: 'tuned from Llama 3.1' },
  { pattern: /function-?gemma/, format: 'gemma', grammar: 'functiongemma' },
  { pattern: /gemma-?4(?!\d*b)/, format: 'gemma', grammar: 'gemma4' },
  { pattern: /gemma/, format: 'gemma', note: 'up to 3 there is no syntax of their own' },

  // Newer releases that took over Qwen's XML, each before the older releases of its family further down.
  // K-EXAONE-236B is a size of the first generation, Nemotron-Nano-3-30B is the third, Step3 is not Step-3.5.
  { pattern: /\bmimo-v[2-9]/, format: 'qwen', grammar: 'qwen3-coder-xml' },
  { pattern: /nemotron(?:-(?:nano|super|ultra))?-?3(?![\db])/, format: 'qwen', grammar: 'qwen3-coder-xml' },
  { pattern: /\bstep(?:fun)?-?3\.[5-9]/, format: 'qwen', grammar: 'qwen3-coder-xml' },
  { pattern: /\bk-exaone-?2(?!\d)/, format: 'qwen', grammar: 'qwen3-coder-xml' },

  // Who else took over Qwen's XML. iQuest-Coder V2 did not.
  { pattern: /\biquest-?(?:q1|coder-?v?2)/, format: 'iquest', grammar: 'iquest-xml' },
  {
    pattern: /\biquest-?coder|\bberrylm|\bnanbeige|\bornith\b|\bintern-?s2/,
    format: 'qwen',
    grammar: 'qwen3-coder-xml',
  },
  { pattern: /\biquest/, format: 'iquest' },

  // Hermes JSON. With a boundary: eureka is not Reka.
  {
    pattern: /smollm-?3|exaone|bielik|\bkolibri-?1|\brwkv|\btrinity\b|\breka\b|\bmimo\b/,
    format: 'hermes',
    grammar: 'hermes-json',
  },

  // Ahead of Llama, which Llama-3.1-Nemotron is built on.
  { pattern: /nemotron/, format: 'nemotron', grammar: 'nemotron-toolcall' },

  { pattern: /granite-?4(?!\d*b)/, format: 'granite', grammar: 'hermes-json' },
  { pattern: /granite-?3(?!\d*b)/, format: 'granite', grammar: 'granite-array' },
  { pattern: /granite-20b-f/, format: 'granite', grammar: 'granite-20b-fc' },
  { pattern: /granite/, format: 'granite' },

  // Cohere. `command` alone is an English word, and so is `north`: only with the names Cohere gave them.
  {
    pattern: /\bcommand-(?:r7b|a(?:4|-?plus|-reasoning|-vision|-translate|-\d|$|[:@/]))/,
    format: 'cohere',
    grammar: 'cohere-action',
  },
  { pattern: /\bnorth-(?:mini|small|medium|large)\b/, format: 'cohere', grammar: 'cohere-action' },
  { pattern: /\bcommand-r(?:\+|-?plus|-v?\d|$|[:@/])/, format: 'cohere', grammar: 'cohere-r-plus' },

  { pattern: /seed-?oss/, format: 'seed', grammar: 'seed-oss-xml' },
  { pattern: /\bhy-?4(?![\db])|hunyuan-?4(?![\db])/, format: 'hunyuan', grammar: 'hunyuan4-xml' },
  { pattern: /\bhy-?3(?![\db])/, format: 'hunyuan', grammar: 'hunyuan3-xml' },
  { pattern: /hunyuan.*a13b/, format: 'hunyuan', grammar: 'apriel', note: 'the same array in <tool_calls>' },
  { pattern: /hunyuan/, format: 'hunyuan' },
  { pattern: /\bapriel/, format: 'apriel', grammar: 'apriel' },
  { pattern: /\bjamba/, format: 'jamba', grammar: 'apriel', note: 'the same array in <tool_calls>' },
  { pattern: /longcat-?(?:2|(?:flash-)?(?:lite|next))/, format: 'longcat', grammar: 'longcat-xml' },
  { pattern: /longcat/, format: 'longcat' },
  { pattern: /\bowl-alpha\b/, format: 'longcat', grammar: 'longcat-xml', note: 'a name of OpenRouter' },
  { pattern: /\bernie\b/, format: 'ernie', grammar: 'hermes-json' },
  { pattern: /internlm-?2|intern-s1/, format: 'internlm', grammar: 'internlm2' },
  { pattern: /\bphi-?4/, format: 'phi', grammar: 'functools', note: 'with a boundary: dolphin' },
  { pattern: /\bolmo-?3(?![\db])/, format: 'olmo' },
  { pattern: /\blfm-?2/, format: 'lfm', grammar: 'lfm2-pythonic' },
  { pattern: /\blfm/, format: 'lfm' },
  { pattern: /gigachat-?3\.5/, format: 'gigachat', grammar: 'gigachat3.5' },
  { pattern: /gigachat-?3\.1/, format: 'gigachat', grammar: 'gigachat3.1' },
  { pattern: /gigachat-?3/, format: 'gigachat', grammar: 'gigachat3' },
  { pattern: /gigachat/, format: 'gigachat' },
  { pattern: /minicpm-?[45](?![\db])/, format: 'minicpm', grammar: 'minicpm5-xml' },
  { pattern: /\bapertus/, format: 'apertus', grammar: 'apertus' },
  {
    pattern: /(?:^|[/:])(?:stepfun-)?step-?3(?![\db])/,
    format: 'step',
    note: 'as a name; checkpoint-step-3 is a count',
  },
  { pattern: /\bstep-?audio-?2/, format: 'step', grammar: 'step-audio-2' },
  { pattern: /\bsolar-open-?2(?!\d)/, format: 'solar', grammar: 'solar-open-2' },
  { pattern: /\bsolar-open/, format: 'solar', grammar: 'solar-open' },
  { pattern: /\b(?:muse|glimmer)\b/, format: 'muse', grammar: 'muse-glimmer' },
  { pattern: /\binkling\b/, format: 'inkling', note: 'with a boundary: twinkling' },
  { pattern: /\bdots\b/, format: 'dots' },
  { pattern: /\bspark-?x?2\.5/, format: 'spark', grammar: 'glm-xml' },
  { pattern: /hyperclova-?x?.*think.*14b/, format: 'hyperclova', grammar: 'hyperclova-message' },
  { pattern: /hyperclova-?x?.*think/, format: 'hyperclova', grammar: 'glm-xml' },
  {
    pattern: /\btelechat-?4(?!\d*b)|\bxing(?:chen)?-?4(?!\d*b)/,
    format: 'telechat',
    grammar: 'telechat4-xml',
  },
  { pattern: /\bopen-?pangu/, format: 'pangu', grammar: 'openpangu' },
  { pattern: /\bplamo-?3(?!\d*b)/, format: 'plamo', grammar: 'plamo3' },
  { pattern: /\bsarashina/, format: 'sarashina', grammar: 'sarashina' },
  { pattern: /(?:^|[/:])cwm\b/, format: 'cwm', grammar: 'cwm', note: 'as a name' },

  // Last, because so many fine-tunes carry these names besides their own.
  {
    pattern: /(?:dev|magi)stral|mistral-(?:small-?(?:3\.2|2506)|medium-?3|large-?3)|ministral-?3(?!b)/,
    format: 'mistral',
    grammar: 'mistral-args',
  },
  { pattern: /mixtral|mistral-?(?:7b|nemo)|stral.*-24[01]\d\b/, format: 'mistral', grammar: 'mistral-array' },
  { pattern: /(?:mis|mix|minis|magis|devs|codes|pix|vox|maths)tral/, format: 'mistral' },
  { pattern: /\bllama-?4(?![\db])/, format: 'llama', grammar: 'pythonic-bare', note: 'writes JSON as well' },
  { pattern: /\bllama-?v?3[.-][1-3](?![\db])/, format: 'llama', grammar: 'llama3-json' },
  { pattern: /\bllama-?v?3(?![\db])/, format: 'llama', note: 'with a boundary: ollama/ is a route' },
]

/**
 * Models that only their makers run, who write no calls as text. Their names still tell something: a history goes to
 * them in nobody's style. `claude` is not among them: clients ask any server for it, whatever model runs there.
 */
const services: readonly ModelNameRow[] = [
  {
    pattern: /(?:^|[/:])(?:gpt-(?:3\.?5|[4-9]|\d\d)(?![\d.]*b)|chatgpt-)/,
    format: 'standard',
    note: 'gpt-oss has no number; gpt-13b is a size',
  },
  {
    pattern: /(?:^|(?:openai|azure)\/)o[134](?![a-z\d])/,
    format: 'standard',
    note: 'marco-o1 is an open model',
  },
  { pattern: /(?:^|[/:.])(?:gemini|grok)-/, format: 'standard' },
]

/** First match wins. A row without a grammar leaves that to the first later match of its own format. */
export const modelNames: readonly ModelNameRow[] = [...exceptions, ...vendors, ...keywords, ...services]

/** A vendor as a path segment (`qwen/…`, `openrouter/qwen/…`, `hf:qwen/…`) or in Bedrock's way (`us.qwen.…`). */
function vendor(...names: readonly string[]): RegExp {
  return new RegExp(`(?:^|[/.:])(?:${names.join('|')})[/.]`)
}
