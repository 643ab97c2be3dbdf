import type { ChatRequest, OfferedTool } from './chat-request.ts'
import { Phrases } from './phrases.ts'
import { seededRandom } from './random.ts'
import { fillSchema } from './schema-value.ts'
import type { ResolvedSettings } from './settings.ts'
import type { Turn } from './turn.ts'
import type { WrittenCall } from './writing.ts'

/** The calls that the model makes now. There are none where it answers. */
export function chooseCalls(request: ChatRequest, turn: Turn, settings: ResolvedSettings): WrittenCall[] {
  const tools = chooseTools(request, turn, settings)
  const random = seededRandom(settings.seed + turn.callCount)
  return tools.map((tool, index) => {
    const earlier = tools.slice(0, index).filter((each) => each === tool).length
    const phrases = new Phrases(turn.userText, turn.round + earlier)
    return { name: tool.name, arguments: fillSchema(tool.parameters, phrases, random) }
  })
}

function chooseTools(
  { tools, toolChoice, allowsParallel }: ChatRequest,
  turn: Turn,
  settings: ResolvedSettings,
): OfferedTool[] {
  if (toolChoice === 'none' && !settings.noneMeansText) return []
  if (typeof toolChoice === 'object') {
    return turn.round > 0 ? [] : tools.filter(({ name }) => name === toolChoice.named).slice(0, 1)
  }
  const named = toolsNamedIn(turn.userText, tools)
  const harmless = tools.filter(({ name }) => !isDestructive(name) && !isDelegate(name))
  const fitting = toolsFor(turn.userText, harmless)
  const candidates =
    [named, fitting, harmless, toolChoice === 'required' ? tools : []].find((list) => list.length > 0) ?? []
  if (candidates.length === 0) return []

  const isSequence = /\b(?:then|afterwards|after that|finally)\b/i.test(turn.userText)
  const isParallel = /\b(?:both|parallel|at once|at the same time|simultaneously)\b/i.test(turn.userText)
  const rounds = settings.rounds ?? (isSequence && !isParallel ? Math.max(named.length, 1) : 1)
  if (turn.round >= rounds) return []

  const wanted = isParallel ? Math.max(2, named.length, settings.parallel) : Math.max(1, settings.parallel)
  const first = isSequence ? turn.round : 0
  return Array.from(
    { length: allowsParallel ? wanted : 1 },
    (_, index) => candidates[(first + index) % candidates.length],
  ).filter((tool) => tool !== undefined)
}

/** The tools that a text mentions, in the order in which it mentions them. */
function toolsNamedIn(text: string, tools: readonly OfferedTool[]): OfferedTool[] {
  const said = wordsOf(text)
  const isNamed = tools
    // A task is also an everyday word, so such a name counts only as it is written.
    .filter(({ name }) => !isDelegate(name) || text.includes(name))
    .map((tool) => ({ tool, at: wholeWordIn(text.toLowerCase(), tool.name.toLowerCase()) }))
    .filter(({ at }) => at !== -1)
  const isMeant = tools
    .filter((tool) => !isDestructive(tool.name) && !isDelegate(tool.name))
    .map((tool) => ({ tool, at: firstMention(said, wordsOf(tool.name)) }))
    .filter(({ at }) => at !== -1)
  const found = isNamed.length > 0 ? isNamed : isMeant
  return found.toSorted((one, other) => one.at - other.at).map(({ tool }) => tool)
}

/** Where a word stands by itself. It may stand inside another one before, such as the name of a folder. */
function wholeWordIn(text: string, word: string): number {
  let at = text.indexOf(word)
  while (at !== -1 && (/\w/.test(text.charAt(at - 1)) || /\w/.test(text.charAt(at + word.length)))) {
    at = text.indexOf(word, at + 1)
  }
  return at
}

/** Words that many names of tools contain, so that they tell nothing. */
const emptyWords = new Set([
  'get',
  'set',
  'the',
  'tool',
  'and',
  'for',
  'new',
  'mcp',
  'all',
  'use',
  'run',
  'list',
])

function firstMention(said: readonly string[], words: readonly string[]): number {
  const telling = words.filter((word) => word.length > 2 && !emptyWords.has(word))
  return said.findIndex((word) => telling.some((each) => word === each || word === `${each}s`))
}

/** `readFile`, `read_file` and `read-file` are the same two words. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

const destructive =
  /^(?:delete|remove|drop|destroy|kill|erase|wipe|purge|reset|overwrite|uninstall|send|pay|buy|purchase|deploy|write|edit)$/

/** A tool that may do harm is called only when the user names it. */
function isDestructive(name: string): boolean {
  return wordsOf(name).some((word) => destructive.test(word))
}

/** Words of a user that name no tool, and the words in the names of tools that such a user needs. */
const needs: readonly { readonly says: RegExp; readonly tool: RegExp }[] = [
  { says: /\b(?:show|open|what does)\b.*\bfile\b/i, tool: /^(?:read|view|open|cat)$/ },
  {
    says: /\b(?:files?|folders?|director(?:y|ies)|ls|commands?)\b/i,
    tool: /^(?:bash|shell|terminal|command|exec)$/,
  },
]

function toolsFor(text: string, tools: readonly OfferedTool[]): OfferedTool[] {
  const found = needs
    .filter(({ says }) => says.test(text))
    .map(({ tool }) => tools.filter(({ name }) => wordsOf(name).some((word) => tool.test(word))))
  return found.find((list) => list.length > 0) ?? []
}

/** A tool that starts another model does what that one decides, so it is called only when the user names it. */
function isDelegate(name: string): boolean {
  return /^(?:agent|task|subagent)$/i.test(name)
}
