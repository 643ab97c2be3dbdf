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

  async ask(what: 'write' | 'run', description: string): Promise<PermissionAnswer> {
    const { allowsCommands, question, tell } = this.options
    const shown = visible(description)
    if (what === 'run' ? allowsCommands : this.allowsWrites) {
      tell(what === 'run' ? shown : (shown.split('\n', 1)[0] ?? ''))
      return 'allowed'
    }
    if (question === undefined) {
      tell(
        `Not done, for nobody can be asked: ${shown}\n${what === 'run' ? '--yes-run' : '--yes'} allows it.`,
      )
      return 'unasked'
    }
    const answer = (await question(shown, what === 'run' ? 'Allow? [y/N]' : 'Allow? [y/N/a for always]'))
      .trim()
      .toLowerCase()
    if (what === 'write' && (answer === 'a' || answer === 'always')) {
      this.allowsWrites = true
      return 'allowed'
    }
    return answer === 'y' || answer === 'yes' ? 'allowed' : 'refused'
  }
}
