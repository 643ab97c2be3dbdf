import { DragomanError } from '../errors.ts'
import { xlam } from './xlam.ts'
import { phi } from './phi.ts'
import { nemotron } from './nemotron.ts'
import { mistral } from './mistral.ts'
import { longcat } from './longcat.ts'
import { llama } from './llama.ts'
import { jamba } from './jamba.ts'
import { internlm } from './internlm.ts'
import { granite } from './granite.ts'
import { gigachat } from './gigachat.ts'
import { functionary } from './functionary.ts'
import { ernie } from './ernie.ts'
import { apriel } from './apriel.ts'
import { apertus } from './apertus.ts'
import { cohere } from './cohere.ts'
import { deepseek } from './deepseek.ts'
import { type FormatId, resolveFormatId } from './format-id.ts'
import type { Format } from './format.ts'
import { gptOss } from './gpt-oss.ts'
import { hermes } from './hermes.ts'
import { step } from './step.ts'
import { seed } from './seed.ts'
import { minimax } from './minimax.ts'
import { minicpm } from './minicpm.ts'
import { hunyuan } from './hunyuan.ts'
import { glm } from './glm.ts'
import { dots } from './dots.ts'
import { inkling } from './inkling.ts'
import { kimi } from './kimi.ts'
import { muse } from './muse.ts'
import { gemma } from './gemma.ts'
import { lfm } from './lfm.ts'
import { olmo } from './olmo.ts'
import { pythonic } from './pythonic.ts'
import { qwen } from './qwen.ts'
import { solar } from './solar.ts'
import { anthropic, standard } from './standard.ts'
import { xml } from './xml.ts'

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
