import type { Checked, Format, Grammar, Proof } from '../../src/formats/format.ts'
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
    ...knowledgeOf(format),
    ...idsOf(format),
    ...reasoningOf(format),
    ...grammarsOf(format),
    ...strippedOf(format),
    ...troubles(goldens),
  ]
    .join('\n\n')
    .concat('\n')
}

/** The page that leads to all others. */
export function formatIndex(formats: readonly Format[]): string {
  return [
    '# Formats',
    generated,
    intro,
    formatTable(formats, ''),
    '## How much of it is proven',
    provenIntro,
    provenTable(formats),
    '## Without special tokens',
    strippedIntro,
    strippedTable(formats),
  ]
    .join('\n\n')
    .concat('\n')
}

/** From the most to the least: a template counts more than all the rest, a parser of others more than what people saw. */
const weights: Readonly<Record<Proof, number>> = { template: 8, engine: 4, report: 2, proposal: 1 }

function provenTable(formats: readonly Format[]): string {
  const known = formats.flatMap(({ id, checked }) => (checked === undefined ? [] : [{ id, checked }]))
  const rows = known
    .toSorted((one, other) => weightOf(other.checked) - weightOf(one.checked))
    .map(({ id, checked }) => {
      const engine = checked.proof.includes('proposal') ? 'proposed' : mark(checked, 'engine')
      return `| [\`${id}\`](${id}.md) | ${mark(checked, 'template')} | ${engine} | ${mark(checked, 'report')} | ${checked.on} | ${checked.against} |`
    })
  return [
    '| format | templates | engines | reports | checked | against |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function weightOf({ proof }: Checked): number {
  return proof.reduce((sum, each) => sum + weights[each], 0)
}

function mark({ proof }: Checked, kind: Proof): string {
  return proof.includes(kind) ? 'yes' : ''
}

const provenIntro =
  '`templates`: the [corpus](../../packages/core/test/corpus.test.ts) holds calls that the chat templates of these models wrote, ' +
  'and all of them come back. `engines`: an inference engine reads the syntax and has tests for it; `proposed`: one was offered ' +
  'such a parser. `reports`: people reported what the models wrote. The formats with the most proof stand first. A vendor may ' +
  'change a token with any release, so each says when it was last checked.'

function strippedTable(formats: readonly Format[]): string {
  const rows = formats.flatMap(({ id, stripped = [] }) =>
    stripped.map(
      ({ grammar, left, why }) =>
        `| [\`${id}\`](${id}.md) | ${code(grammar)} | ${cell(left)} | ${why === undefined ? 'yes' : `no: ${why}`} |`,
    ),
  )
  return ['| format | grammar | what is left | read |', '|---|---|---|---|', ...rows].join('\n')
}

const strippedIntro =
  'Servers that decode with `skip_special_tokens` take the tokens of a call out of its text. What is left is read where it can ' +
  'mean nothing else: for a tool that the request offered, with the format named or told by the name of the model. Formats that ' +
  'are not listed have no special tokens.'

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

function knowledgeOf({ checked }: Format): string[] {
  if (checked === undefined) return []
  return ['## What is known', `Checked in ${checked.on} against ${checked.against}.`]
}

function strippedOf({ stripped = [] }: Format): string[] {
  if (stripped.length === 0) return []
  const rows = stripped.map(({ grammar, left, why }) => {
    const verdict = why === undefined ? 'read for declared tools' : `text, because ${why}`
    return `- ${code(grammar)}: ${cell(left).replaceAll('\\|', '|')}, ${verdict}`
  })
  return ['## Without its special tokens', 'What is left where a server strips them:', rows.join('\n')]
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
