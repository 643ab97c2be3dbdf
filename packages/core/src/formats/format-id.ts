/** Every format a model family can speak, including families that are detected but have no grammar yet. */
export const formatIds = [
  'standard',
  'anthropic',
  'kimi',
  'qwen',
  'hermes',
  'xml',
  'deepseek',
  'glm',
  'minimax',
  'gpt-oss',
  'gemma',
  'mistral',
  'llama',
  'pythonic',
  'granite',
  'cohere',
  'seed',
  'hunyuan',
  'apriel',
  'apertus',
  'lfm',
  'muse',
  'minicpm',
  'solar',
  'gigachat',
  'nemotron',
  'phi',
  'functionary',
  'internlm',
  'xlam',
  'jamba',
  'ernie',
  'step',
  'longcat',
  'olmo',
  'inkling',
  'dots',
  'k2-horizon',
  'lm-studio',
  'spark',
  'hyperclova',
  'telechat',
  'pangu',
  'plamo',
  'iquest',
  'sarashina',
  'mirothinker',
  'cwm',
] as const

export type FormatId = (typeof formatIds)[number]

/** Reads a format name as a user writes it. `auto` asks for detection, so it names no format. */
export function resolveFormatId(name: string): FormatId | undefined {
  return byName.get(name.trim().toLowerCase())
}

// A Map rather than an object: a user may write `__proto__` or `constructor`, and those must name nothing.
const byName: ReadonlyMap<string, FormatId> = new Map<string, FormatId>([
  ...formatIds.map((id) => [id, id] as const),
  ['openai', 'standard'],
])
