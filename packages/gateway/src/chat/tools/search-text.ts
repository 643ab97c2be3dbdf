import { readText } from './read-file.ts'
import { type ChatTool, textArgument, ToolError } from './tool.ts'
import { walk } from './walk.ts'
import type { WorkFolder } from './work-folder.ts'

const MOST_HITS = 100
const MOST_FILE_BYTES = 1024 * 1024
const LONGEST_LINE = 300
const MOST_MS = 20_000

// The search takes no regular expressions: one that a model writes can run for ever, and nothing can stop it.
export const searchText: ChatTool = {
  definition: {
    name: 'search_text',
    description:
      'Find a text in the files of the working folder. Answers with path, line number and line. ' +
      'The text is taken literally: no patterns.',
    parameters: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What to look for, inside one line.' },
        folder: { type: 'string', description: 'Where; the whole working folder if not given.' },
        ignore_case: { type: 'boolean', description: 'Take A and a for the same.' },
      },
      required: ['text'],
    },
  },
  async run(given, { folder, signal }) {
    const text = textArgument(given, 'text')
    const name = typeof given['folder'] === 'string' && given['folder'] !== '' ? given['folder'] : '.'
    const find = finder(text, given['ignore_case'] === true)
    const limit = AbortSignal.timeout(MOST_MS)
    const hits: string[] = []
    try {
      for await (const path of filesIn(await folder.existing(name), AbortSignal.any([signal, limit]))) {
        for (const hit of find(await textOrNothing(folder, path))) hits.push(`${folder.shown(path)}:${hit}`)
        if (hits.length >= MOST_HITS)
          return [...hits.slice(0, MOST_HITS), `[the first ${MOST_HITS}]`].join('\n')
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!limit.aborted) throw error
      hits.push(`[stopped after ${MOST_MS / 1000} seconds; not every file was searched]`)
    }
    return hits.length === 0 ? '[nothing found]' : hits.join('\n')
  },
}

async function* filesIn(start: string, signal: AbortSignal): AsyncGenerator<string> {
  try {
    for await (const { path, kind } of walk(start, signal)) if (kind === 'file') yield path
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'ENOTDIR') throw error
    yield start
  }
}

/** Skips files that are no text, or longer than any that people write. */
async function textOrNothing(folder: WorkFolder, path: string): Promise<string> {
  try {
    const { text, isCut } = await readText(folder, path, MOST_FILE_BYTES)
    return isCut ? '' : text
  } catch (error) {
    if (error instanceof ToolError || (error instanceof Error && 'code' in error)) return ''
    throw error
  }
}

function finder(text: string, ignoresCase: boolean): (whole: string) => string[] {
  const fold = (given: string): string => (ignoresCase ? given.toLowerCase() : given)
  const wanted = fold(text)
  return (whole) => {
    if (!fold(whole).includes(wanted)) return []
    return whole.split('\n').flatMap((line, at) => {
      const place = fold(line).indexOf(wanted)
      if (place === -1) return []
      const start = Math.max(0, place - LONGEST_LINE / 2)
      return [`${at + 1}: ${line.slice(start, start + LONGEST_LINE).trimEnd()}`]
    })
  }
}
