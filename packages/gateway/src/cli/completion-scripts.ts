import type { Completable, CompletableCommand, CompletableOption } from './completable.ts'

/** Makes the script by which a shell completes command lines of the program. */
type CompletionScript = (commands: readonly CompletableCommand[]) => string

export const shells = ['bash', 'zsh', 'fish'] as const

type Shell = (typeof shells)[number]

export const completionScripts: Readonly<Record<Shell, CompletionScript>> = { bash, zsh, fish }

/** Works from version 3.2 on, which is the one of macOS. */
function bash(commands: readonly CompletableCommand[]): string {
  const valueCases = commands.flatMap(({ name, options }) =>
    options.flatMap(({ names, value }) =>
      value === null
        ? []
        : [`    ${names.map((each) => `'${name} ${each}'`).join('|')}) ${bashOffer(value)}; return ;;`],
    ),
  )
  const commandCases = commands.map(({ name, options, operand }) => {
    const names = options.flatMap((option) => option.names).join(' ')
    return `    ${name}) if [[ $cur == -* ]]; then _dragoman_words '${names}'; else ${bashOffer(operand)}; fi ;;`
  })
  return lines(
    '# Completion of dragoman for bash: source it, or put it where bash-completion looks.',
    '_dragoman_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }',
    '_dragoman_files() { local IFS=$\'\\n\'; COMPREPLY=($(compgen "$1" -- "$cur")); compopt -o filenames 2>/dev/null; }',
    '_dragoman() {',
    '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}',
    '  COMPREPLY=()',
    '  # bash takes the sign between an option and its value for a word.',
    '  [[ $cur == = ]] && cur=',
    '  [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}',
    '  if ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then',
    `    _dragoman_words '${commands.map(({ name }) => name).join(' ')}'`,
    '    return',
    '  fi',
    '  [[ $command == -* ]] && command=serve',
    '  case "$command $prev" in',
    ...valueCases,
    '  esac',
    '  case $command in',
    ...commandCases,
    '  esac',
    '}',
    'complete -F _dragoman dragoman',
  )
}

function bashOffer(offered: Completable): string {
  switch (offered.is) {
    case 'words':
      return `_dragoman_words '${offered.words.join(' ')}'`
    case 'files':
      return '_dragoman_files -f'
    case 'folders':
      return '_dragoman_files -d'
    case 'unknown':
      return ':'
  }
}

function zsh(commands: readonly CompletableCommand[]): string {
  return lines(
    '#compdef dragoman',
    '# Completion of dragoman for zsh: put it as _dragoman into a folder of $fpath.',
    '_dragoman() {',
    '  local -a commands',
    '  commands=(',
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`),
    '  )',
    '  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  local command=serve',
    '  if [[ $words[2] != -* ]]; then',
    '    command=$words[2]',
    '    shift words',
    '    (( CURRENT-- ))',
    '  fi',
    '  case $command in',
    ...commands.flatMap(({ name, options, operand }) => [
      `    ${name})`,
      `      _arguments ${[...options.flatMap(zshOption), quoted(`*:operand:${zshAction(operand)}`)].join(' \\\n        ')}`,
      '      ;;',
    ]),
    '  esac',
    '}',
    '# Loaded by name, this file is the function itself; sourced, it only defines it.',
    'if [[ $funcstack[1] == _dragoman ]]; then _dragoman "$@"; else compdef _dragoman dragoman; fi',
  )
}

/** An argument of `_arguments` for each name. One that was given is not offered again, under none of its names. */
function zshOption({ names, help, value, isRepeatable }: CompletableOption): string[] {
  const others = isRepeatable ? '*' : `(${names.join(' ')})`
  const told = help.replaceAll(/[[\]:\\]/g, (sign) => `\\${sign}`)
  return names.map((name) => {
    const spec = `${others}${name}[${told}]`
    return quoted(value === null ? spec : `${spec}:value:${zshAction(value)}`)
  })
}

function zshAction(offered: Completable): string {
  switch (offered.is) {
    case 'words':
      return `(${offered.words.join(' ')})`
    case 'files':
      return '_files'
    case 'folders':
      return '_files -/'
    case 'unknown':
      return ' '
  }
}

function fish(commands: readonly CompletableCommand[]): string {
  const isFirst = "'__fish_use_subcommand'"
  return lines(
    '# Completion of dragoman for fish: put it as dragoman.fish into ~/.config/fish/completions.',
    'complete -c dragoman -f',
    ...commands.map(
      ({ name, summary }) => `complete -c dragoman -n ${isFirst} -a ${name} -d ${fishQuoted(summary)}`,
    ),
    ...commands.flatMap(({ name, options, operand }) => {
      const isHere = fishQuoted(`__fish_seen_subcommand_from ${name}`)
      const offer = fishOffer(operand)
      return [
        ...options.map((option) => `complete -c dragoman -n ${isHere} ${fishOption(option)}`),
        ...(offer === '' ? [] : [`complete -c dragoman -n ${isHere} ${offer}`]),
      ]
    }),
  )
}

function fishOption({ names, help, value }: CompletableOption): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const offer = value === null ? '' : ` -r ${fishOffer(value)}`.trimEnd()
  return `${flags.join(' ')}${offer} -d ${fishQuoted(help)}`
}

function fishOffer(offered: Completable): string {
  switch (offered.is) {
    case 'words':
      return `-a ${fishQuoted(offered.words.join(' '))}`
    case 'files':
      return '-F'
    case 'folders':
      return "-a '(__fish_complete_directories)'"
    case 'unknown':
      return ''
  }
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, (sign) => `\\${sign}`)}'`
}
