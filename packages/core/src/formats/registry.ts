import { DragomanError } from '../errors.ts'
import { type FormatId, resolveFormatId } from './format-id.ts'
import type { Format } from './format.ts'
import { apertus } from './records/apertus.ts'
import { apriel } from './records/apriel.ts'
import { cohere } from './records/cohere.ts'
import { cwm } from './records/cwm.ts'
import { deepseek } from './records/deepseek.ts'
import { dots } from './records/dots.ts'
import { ernie } from './records/ernie.ts'
import { functionary } from './records/functionary.ts'
import { gemma } from './records/gemma.ts'
import { gigachat } from './records/gigachat.ts'
import { glm } from './records/glm.ts'
import { gptOss } from './records/gpt-oss.ts'
import { granite } from './records/granite.ts'
import { hermes } from './records/hermes.ts'
import { hunyuan } from './records/hunyuan.ts'
import { hyperclova } from './records/hyperclova.ts'
import { inkling } from './records/inkling.ts'
import { internlm } from './records/internlm.ts'
import { iquest } from './records/iquest.ts'
import { jamba } from './records/jamba.ts'
import { k2Horizon } from './records/k2-horizon.ts'
import { kimi } from './records/kimi.ts'
import { lfm } from './records/lfm.ts'
import { llama } from './records/llama.ts'
import { lmStudio } from './records/lm-studio.ts'
import { longcat } from './records/longcat.ts'
import { minicpm } from './records/minicpm.ts'
import { minimax } from './records/minimax.ts'
import { mirothinker } from './records/mirothinker.ts'
import { mistral } from './records/mistral.ts'
import { muse } from './records/muse.ts'
import { nemotron } from './records/nemotron.ts'
import { olmo } from './records/olmo.ts'
import { pangu } from './records/pangu.ts'
import { phi } from './records/phi.ts'
import { plamo } from './records/plamo.ts'
import { pythonic } from './records/pythonic.ts'
import { qwen } from './records/qwen.ts'
import { sarashina } from './records/sarashina.ts'
import { seed } from './records/seed.ts'
import { solar } from './records/solar.ts'
import { spark } from './records/spark.ts'
import { anthropic, standard } from './records/standard.ts'
import { step } from './records/step.ts'
import { telechat } from './records/telechat.ts'
import { xlam } from './records/xlam.ts'
import { xml } from './records/xml.ts'

/** Every format that can be read, in the order in which they are tried when nothing else decides. */
export const formats: readonly Format[] = [
  kimi,
  qwen,
  hermes,
  deepseek,
  glm,
  minimax,
  seed,
  hunyuan,
  minicpm,
  step,
  dots,
  gemma,
  lfm,
  olmo,
  pythonic,
  mistral,
  llama,
  granite,
  apertus,
  apriel,
  jamba,
  nemotron,
  phi,
  internlm,
  xlam,
  gigachat,
  longcat,
  ernie,
  functionary,
  gptOss,
  muse,
  cohere,
  solar,
  inkling,
  k2Horizon,
  lmStudio,
  spark,
  hyperclova,
  telechat,
  pangu,
  plamo,
  iquest,
  sarashina,
  mirothinker,
  cwm,
  xml,
  standard,
  anthropic,
]

const byId: ReadonlyMap<FormatId, Format> = new Map(formats.map((format) => [format.id, format]))

/** The format of this name, or undefined where its grammar is not known. */
export function findFormat(id: FormatId): Format | undefined {
  return byId.get(id)
}

/** The format a user named. */
export function getFormat(name: string): Format {
  const id = resolveFormatId(name)
  const format = id === undefined ? undefined : byId.get(id)
  if (format === undefined) {
    const known = formats.map((each) => each.id).join(', ')
    throw new DragomanError('unknown-format', `There is no format "${name}". Known formats: auto, ${known}.`)
  }
  return format
}
