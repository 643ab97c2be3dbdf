/** What a coding agent offers, near enough. */
export const tools = [
  tool('get_weather', { city: 'string', days: 'integer' }),
  tool('read_file', { path: 'string', offset: 'integer', limit: 'integer' }),
  tool('write_file', { path: 'string', content: 'string' }),
  tool('edit_file', { path: 'string', find: 'string', replace: 'string', all: 'boolean' }),
  tool('run_command', { command: 'string', timeout: 'integer', background: 'boolean' }),
  tool('search', { pattern: 'string', path: 'string', glob: 'string', limit: 'integer' }),
]

export const formatNames = ['kimi', 'hermes', 'qwen', 'deepseek', 'deepseek-dsml', 'xml']

/** The name `createParser` knows it by: DeepSeek has two syntaxes in one format. */
export function formatOf(name) {
  return name.startsWith('deepseek') ? 'deepseek' : name
}

const sentence =
  'The function walks the tree once, keeps a stack of open nodes, and stops as soon as the first mismatch ' +
  'is found; that is why the second pass was never needed (and why the test passed anyway). '

const wideSentence =
  '这个函数只遍历一次语法树，保存一个打开节点的栈，一旦发现第一个不匹配就停止。“所以”不需要第二遍——测试也通过了。'

const code = `Here is the component:

\`\`\`tsx
export function List<T extends { id: string }>({ items, render }: Props<T>): JSX.Element {
  const [open, setOpen] = useState<Record<string, boolean>>({})
  if (items.length < 1 || !render) return <p className="empty">{\`none of \${items.length}\`}</p>
  return <ul>{items.map((item) => <li key={item.id} onClick={() => setOpen({ ...open, [item.id]: true })}>{render(item)}</li>)}</ul>
}
\`\`\`

Use \`<List>\` where \`{ items }\` is known, and \`a < b\` where {it} is not. [See](#list) the \`README\`.

`

const source = `import { readFile } from 'node:fs/promises'

/** Reads a file once, and keeps what it holds. */
export class Cache<T extends object> {
  private readonly known = new Map<string, Promise<T>>()

  get(path: string, parse: (text: string) => T): Promise<T> {
    const known = this.known.get(path)
    if (known !== undefined) return known
    const made = readFile(path, 'utf8').then((text) => parse(text))
    this.known.set(path, made)
    return made
  }
}

`

const log = `2026-11-18T14:02:11.493Z INFO  [worker-3] GET /v1/models 200 12ms user_agent="curl/8.5.0" request_id=5f1c
2026-11-18T14:02:11.871Z WARN  [worker-1] slow query (412ms): SELECT id, name FROM models WHERE owner = $1
2026-11-18T14:02:12.004Z ERROR [worker-3] Error: connect ECONNREFUSED 127.0.0.1:6379
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
`

const outline = `## What changed

- \`parse()\` takes **options** now, see [the guide](docs/guide.md#options)
- the \`--watch\` flag is gone; use \`npm run dev\`
  1. stop the server
  2. delete \`dist/\`

| option | default | since |
|---|---|---|
| \`format\` | \`auto\` | 1.0 |
| \`limit\` | 4 MiB | 1.2 |

> Note: \`limit\` counts bytes that are *held*.

`

const page = `<section class="card" id="prices">
  <h2>Prices &amp; plans</h2>
  <ul>
    <li><a href="/plans/free?ref=home">Free</a> <span class="badge">0 EUR</span></li>
    <li><a href="/plans/team">Team</a> <span class="badge badge--new">19 EUR</span></li>
  </ul>
  <p>Prices are <em>per person</em>. <button type="button" onclick="show('faq')">Questions?</button></p>
</section>
`

export function prose(length) {
  return repeatTo(sentence, length)
}

export function wideProse(length) {
  return repeatTo(wideSentence, length)
}

export function codeHeavy(length) {
  return repeatTo(code, length)
}

/** Code with no fence around it. */
export function sourceCode(length) {
  return repeatTo(source, length)
}

/** Data behind a sentence: at the start of an answer it might be a call. */
export function jsonData(length) {
  const items = Array.from({ length: Math.ceil(length / 100) }, (_, id) => ({
    id,
    title: `item ${id}`,
    tags: ['open', 'new'],
    size: { width: id, height: 2 },
  }))
  return `Here are the items:\n\n${JSON.stringify(items, null, 2)}`.slice(0, length)
}

/** Text in which there is no call, from words alone to signs nearly alone. */
export const plainTexts = {
  prose,
  Chinese: wideProse,
  'code and Markdown': codeHeavy,
  logs: (length) => repeatTo(log, length),
  'code without a fence': sourceCode,
  'lists, tables, inline code': (length) => repeatTo(outline, length),
  JSON: jsonData,
  HTML: (length) => repeatTo(page, length),
}

/** About 200 bytes of arguments. */
export const typicalArguments = {
  path: 'packages/core/src/engines/name-then-args.ts',
  find: 'const end = this.markers.index\n    if (end < 0) return "more"',
  replace: 'const { index: end } = this.markers\n    if (end < 0) return more',
  all: false,
}

export const largeArguments = { path: 'src/list.tsx', content: codeHeavy(100_000) }

export const typicalCall = { name: 'edit_file', arguments: typicalArguments }
export const largeCall = { name: 'write_file', arguments: largeArguments }

/** A call as a model of this family writes it. */
export function written(format, { name, arguments: values }) {
  const json = JSON.stringify(values)
  switch (format) {
    case 'kimi':
      return `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${json}<|tool_call_end|><|tool_calls_section_end|>`
    case 'hermes':
      return `<tool_call>\n{"name": "${name}", "arguments": ${json}}\n</tool_call>`
    case 'qwen':
      return `<tool_call>\n<function=${name}>\n${tags(values, (key) => `<parameter=${key}>\n`, '\n</parameter>\n')}</function>\n</tool_call>`
    case 'deepseek':
      return `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`
    case 'deepseek-dsml': {
      const parameters = tags(
        values,
        (key, value) => `<｜DSML｜parameter name="${key}" string="${typeof value === 'string'}">`,
        '</｜DSML｜parameter>\n',
      )
      return `<｜DSML｜function_calls>\n<｜DSML｜invoke name="${name}">\n${parameters}</｜DSML｜invoke>\n</｜DSML｜function_calls>`
    }
    case 'xml':
      return `<function_calls>\n<invoke name="${name}">\n${tags(values, (key) => `<parameter name="${key}">`, '</parameter>\n')}</invoke>\n</function_calls>`
    default:
      throw new Error(`no way to write ${format}`)
  }
}

/**
 * Cut into pieces as a stream delivers them: each its own flat string out of `JSON.parse`. Slices of one long
 * string would be read through a level of indirection that no stream has.
 */
export function chunksOf(text, size) {
  const pieces = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return JSON.parse(JSON.stringify(pieces))
}

export function repeatTo(piece, length) {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
}

function tags(values, open, close) {
  return Object.entries(values)
    .map(
      ([key, value]) =>
        `${open(key, value)}${typeof value === 'string' ? value : JSON.stringify(value)}${close}`,
    )
    .join('')
}

function tool(name, types) {
  const properties = Object.fromEntries(Object.entries(types).map(([key, type]) => [key, { type }]))
  return {
    type: 'function',
    function: { name, parameters: { type: 'object', properties, required: Object.keys(types).slice(0, 1) } },
  }
}
