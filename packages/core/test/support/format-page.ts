import type { Format, Grammar } from '../../src/formats/format.ts'
import type { ModelNameRow } from '../../src/formats/model-names.ts'
import { getToolIdStrategy } from '../../src/ids/strategies.ts'
import { spelled } from '../../src/text/marker.ts'
import type { GoldenPage } from './golden-pages.ts'

/** The documentation of one format, from its record, its names and its goldens. */
export function formatPage(
  format: Format,
  names: readonly ModelNameRow[],
  goldens: readonly GoldenPage[],
): string {
  return [
    `# ${format.title}: \`${format.id}\``,
    generated,
    ...whoWritesIt(format, names),
    ...whatItLooksLike(format, goldens),
    ...idsOf(format),
    ...reasoningOf(format),
    ...grammarsOf(format),
    ...troubles(goldens),
  ]
    .join('\n\n')
    .concat('\n')
}

/** The page that leads to all others. */
export function formatIndex(formats: readonly Format[]): string {
  return ['# Formats', generated, intro, formatTable(formats, '')].join('\n\n').concat('\n')
}

/** A row for each format: its page, who uses it, and one call. */
export function formatTable(formats: readonly Format[], folder: string): string {
  const rows = formats.map(
    ({ id, models, sample }) =>
      `| [\`${id}\`](${folder}${id}.md) | ${models.join(', ')} | ${sample === '' ? 'structured data' : cell(sample)} |`,
  )
  return ['| format | models | a call |', '|---|---|---|', ...rows].join('\n')
}

const generated =
  '<!-- Made by the tests from the records and the goldens: `UPDATE_DOCS=1 npx vitest run packages/core/test/format-docs.test.ts` -->'

const intro =
  'How each family of models writes its tool calls, as Dragoman reads them. `dragoman formats NAME` shows a sample on the ' +
  'command line, `dragoman detect MODEL` tells the format of a model by its name.'

function whoWritesIt({ models }: Format, names: readonly ModelNameRow[]): string[] {
  const who = models.length === 0 ? 'No model of its own.' : `${models.join(', ')}.`
  const patterns = names.map(({ pattern, note }) => {
    const why = note === undefined ? '' : ` (${note})`
    return `- ${code(pattern.source)}${why}`
  })
  if (patterns.length === 0) return ['## Who writes it', who]
  return ['## Who writes it', who, 'Told by these parts of a model’s name:', patterns.join('\n')]
}

function whatItLooksLike({ sample }: Format, goldens: readonly GoldenPage[]): string[] {
  if (sample === '')
    return ['## What it looks like', 'Calls are structured data; nothing is read from the text.']
  const others = goldens.flatMap(({ title, intro: prose }) =>
    prose === '' ? [] : [`**${title}.** ${prose}`],
  )
  return ['## What it looks like', fenced(sample), ...others]
}

function idsOf({ id }: Format): string[] {
  return ['## Ids', idRules[getToolIdStrategy(id).name] ?? '']
}

const idRules: Readonly<Record<string, string>> = {
  kimi: 'Each call carries an id, `functions.NAME:N`. Towards such a model all ids of a conversation are made anew in this form, counted from 0: on others it loops.',
  mistral:
    'Towards such a model each id has exactly nine letters and digits, made from the history so that it stays the same.',
  anthropic: 'Ids have letters, digits, `_` and `-`; others are written anew.',
  standard:
    'The text carries no ids: the client gets a minted one. Towards such a model legal ids pass as they are.',
}

function reasoningOf({ reasoning, channels }: Format): string[] {
  const pairs = reasoning.map(({ begin, end }) => `- ${code(spelled(begin))} to ${code(spelled(end))}`)
  if (channels !== undefined) pairs.push('- messages whose header says so')
  return pairs.length === 0 ? [] : ['## Reasoning', 'Text between these is reasoning:', pairs.join('\n')]
}

function grammarsOf({ id, grammars, salvage }: Format): string[] {
  if (grammars.length === 0) return []
  const rows = grammars.map((grammar) => `- ${grammarLine(grammar)}`)
  const also = salvage.map((grammar) => code(grammar.id)).join(', ')
  return [
    '## Grammars',
    rows.join('\n'),
    ...(also === '' ? [] : [`For declared tools, without a marker of its own: ${also}.`]),
    `If a vendor changes a marker, set it under \`formats.${id}.markers\` ([configuration](../configuration.md)).`,
  ]
}

function grammarLine(grammar: Grammar): string {
  const kind = grammar.isSpecial ? 'special tokens' : 'plain text'
  return `${code(grammar.id)}: read by the engine \`${grammar.engine}\`, markers are ${kind}`
}

function troubles(goldens: readonly GoldenPage[]): string[] {
  if (goldens.length === 0) return []
  const lists = goldens.map(({ title, file, cases }) =>
    [`[${title}](../../packages/core/test/golden/${file})`, '', ...cases.map((each) => `- ${each}`)].join(
      '\n',
    ),
  )
  return [
    '## Known troubles, and what comes of them',
    'Each is a test: the link has what the model writes, and the events.',
    ...lists,
  ]
}

function fenced(text: string): string {
  return ['```text', text, '```'].join('\n')
}

/** Long ones are cut: the page of the format has them whole. */
function cell(text: string): string {
  const line = text.replaceAll('\n', '⏎')
  return code((line.length > 90 ? `${line.slice(0, 89)}…` : line).replaceAll('|', '\\|'))
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}
