import { detectModel, type FormatId } from '@dragoman/core'
import { usageError } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import { formatNamed } from '../shared-options.ts'

export const detect: Command = {
  name: 'detect',
  summary: 'Tell which format a model writes, by its name.',
  operands: 'MODEL...',
  operandCount: { min: 1, max: Number.POSITIVE_INFINITY },
  description: [
    'For one model it prints the format alone, for several each model with its format.',
    'A name that says nothing gives "standard".',
  ],
  options: {
    override: {
      type: 'string',
      multiple: true,
      value: 'PATTERN=F',
      help: 'Say that names like PATTERN (* for anything) are of format F.',
    },
    json: { type: 'boolean', help: 'One JSON object a line: { model, format, grammar }.' },
  },
  examples: [
    { command: 'detect moonshotai/kimi-k2-thinking', does: 'Prints kimi.' },
    { command: 'detect qwen3-coder-plus deepseek-r1 gpt-4o', does: 'One line for each model.' },
    { command: "detect my-finetune --override 'my-*=glm'", does: 'Prints glm.' },
  ],
  async run(given, io) {
    const overrides = Object.fromEntries(given.texts('override').map(readOverride))
    const models = given.operands.map((model) => ({ model, ...detectModel(model, overrides) }))
    const width = Math.max(...models.map(({ model }) => model.length))
    const lines = models.map(({ model, format, grammar }) => {
      if (given.flag('json')) return JSON.stringify({ model, format, grammar })
      return models.length === 1 ? format : `${model.padEnd(width)}  ${format}`
    })
    await io.stdout.line(lines.join('\n'))
    return 0
  },
}

function readOverride(given: string): [pattern: string, format: FormatId] {
  // The last `=` divides: a pattern may hold one, and the name of a format never does.
  const at = given.lastIndexOf('=')
  if (at < 1)
    throw usageError(`--override needs PATTERN=FORMAT, not "${given}"`, 'See dragoman detect --help')
  return [given.slice(0, at), formatNamed(given.slice(at + 1))]
}
