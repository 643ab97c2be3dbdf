import { visible } from '../base/printable.ts'

export type PermissionAnswer =
  | 'allowed'
  | 'refused'
  /** Nobody could be asked. */
  | 'unasked'

export interface PermissionOptions {
  readonly allowsWrites: boolean
  readonly allowsCommands: boolean
  /** Asks the user; undefined where nobody sits at a terminal. */
  readonly question: ((shown: string, choices: string) => Promise<string>) | undefined
  /** Tells the user what is done without asking. */
  readonly tell: (message: string) => void
}

/** Decides whether tools that change something may do so. A command is always shown, also where it is allowed. */
export class Permission {
  private readonly options: PermissionOptions
  private allowsWrites: boolean

  constructor(options: PermissionOptions) {
    this.options = options
    this.allowsWrites = options.allowsWrites
  }

  /** `isGrave`: that such calls are allowed beforehand is not enough. */
  async ask(what: 'write' | 'run', description: string, isGrave = false): Promise<PermissionAnswer> {
    const { allowsCommands, question, tell } = this.options
    const shown = visible(description)
    if (!isGrave && (what === 'run' ? allowsCommands : this.allowsWrites)) {
      tell(what === 'run' ? shown : (shown.split('\n', 1)[0] ?? ''))
      return 'allowed'
    }
    if (question === undefined) {
      const way = isGrave
        ? 'Nothing allows it beforehand.'
        : `${what === 'run' ? '--yes-run' : '--yes'} allows it.`
      tell(`Not done, for nobody can be asked: ${shown}\n${way}`)
      return 'unasked'
    }
    const mayAlways = what === 'write' && !isGrave
    const { first, rest } = folded(shown)
    const answer = await asked(question, first, mayAlways ? 'Allow? [y/N/a for always]' : 'Allow? [y/N]')
    if (mayAlways && (answer === 'a' || answer === 'always')) {
      this.allowsWrites = true
      return 'allowed'
    }
    if (!isYes(answer)) return 'refused'
    return (await agreesToAll(question, rest)) ? 'allowed' : 'refused'
  }
}

type Question = (shown: string, choices: string) => Promise<string>

/** What was folded away is shown a screen at a time, and asked about each time: who has not seen it has not allowed it. */
async function agreesToAll(question: Question, [next, ...rest]: readonly string[]): Promise<boolean> {
  if (next === undefined) return true
  return isYes(await asked(question, next, 'Allow this too? [y/N]')) && agreesToAll(question, rest)
}

async function asked(question: Question, shown: string, choices: string): Promise<string> {
  return (await question(shown, choices)).trim().toLowerCase()
}

function isYes(answer: string): boolean {
  return answer === 'y' || answer === 'yes'
}

const LONGEST_LINE = 100
const MOST_LINES = 16

/**
 * A text that is longer than a small screen scrolls away from the question, and with it what the user should have seen: so
 * its beginning and its end are shown, with how much is between them, and the rest in parts.
 */
function folded(text: string): { readonly first: string; readonly rest: readonly string[] } {
  const lines = text.split('\n').flatMap(wrapped)
  if (lines.length <= MOST_LINES) return { first: text, rest: [] }
  const half = MOST_LINES / 2
  const middle = lines.slice(half, -half)
  const fold = `[… ${middle.length} lines of ${lines.length} are folded; they are shown before anything is done …]`
  const rest: string[] = []
  for (let at = 0; at < middle.length; at += MOST_LINES) {
    const part = middle.slice(at, at + MOST_LINES)
    rest.push(
      [`[lines ${half + at + 1} to ${half + at + part.length} of ${lines.length}]`, ...part].join('\n'),
    )
  }
  return { first: [...lines.slice(0, half), fold, ...lines.slice(-half)].join('\n'), rest }
}

function wrapped(line: string): string[] {
  const parts: string[] = []
  for (let at = 0; at === 0 || at < line.length; at += LONGEST_LINE)
    parts.push(line.slice(at, at + LONGEST_LINE))
  return parts
}
