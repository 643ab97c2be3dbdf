import { usageError } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'

/** The command that prints completion scripts. `commands` gives the table that it stands in itself. */
export function completion(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Print a script by which a shell completes command lines.',
    operands: 'bash|zsh|fish',
    operandCount: { min: 1, max: 1 },
    description: [
      'Completes commands, options, and the values of options that are known: formats, dialects, levels,',
      'files.',
      '',
      '  bash   source <(dragoman completion bash), in ~/.bashrc',
      '  zsh    dragoman completion zsh > a folder of $fpath, as _dragoman',
      '  fish   dragoman completion fish > ~/.config/fish/completions/dragoman.fish',
    ],
    options: {},
    examples: [{ command: 'completion bash', does: 'Print the script for bash.' }],
    async run(given, { stdout }) {
      const [{ completable }, { completionScripts, shells }] = await Promise.all([
        import('../completable.ts'),
        import('../completion-scripts.ts'),
      ])
      const [name = ''] = given.operands
      const shell = shells.find((each) => each === name)
      if (shell === undefined) {
        throw usageError(`there is no completion for "${name}"`, `Known: ${shells.join(', ')}`)
      }
      await stdout.write(completionScripts[shell](completable(commands())))
      return 0
    },
  }
}
