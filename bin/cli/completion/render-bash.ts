import { IN_TIME, isLive, type CompletedCommand, type Value } from './completed-commands.ts';
import { anyOf, linesBelow, valuesAfterOptions } from './match.ts';

/** A script for bash. It asks the program for ids, and for nothing else. */
export function renderBash(commands: readonly CompletedCommand[]): string {
  const values = valuesAfterOptions(commands);
  const after = (wanted: (value: Value) => boolean) =>
    anyOf(values.filter(({ value }) => wanted(value)).map((one) => one.after));
  const choices = values.filter(({ value }) => Array.isArray(value));
  return `# Completion of svc for bash. Load it in ~/.bashrc:
#   source <(svc completion bash)

_svc() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local line=\${COMP_WORDS[0]##*/} word i words=
  COMPREPLY=()
  # "--role=api" comes as three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$line $word" in
      ${anyOf(linesBelow(commands))}) line="$line $word" ;;
    esac
  done
  case "$line $prev" in
${choices.map(({ after: option, value }) => `    "${option}") words="${wordsOf(value).join(' ')}" ;;`).join('\n')}
    ${after((value) => value === 'file')})
      compopt -o default
      return
      ;;
    ${after((value) => value === 'any')}) return ;;
  esac
  if [[ -z $words ]]; then
    case "$line" in
${commands.map(renderCommand).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

complete -F _svc ${programsOf(commands).join(' ')}
`;
}

function renderCommand({ line, subcommands, options, argument }: CompletedCommand): string {
  const names = options.flatMap((option) => option.names).join(' ');
  const live = isLive(argument)
    ? [`$(${IN_TIME} "\${COMP_WORDS[0]}" ${argument.list} 2>/dev/null)`]
    : [];
  const words = [...subcommands.map(({ word }) => word), ...wordsOf(argument), ...live].join(' ');
  const files = argument === 'file' ? '[[ $cur == -* ]] || compopt -o default; ' : '';
  // Options are offered once a dash is typed, unless there is nothing else.
  const chosen =
    words === ''
      ? `words="${names}"`
      : `if [[ $cur == -* ]]; then words="${names}"; else words="${words}"; fi`;
  return `      "${line}") ${files}${chosen} ;;`;
}

export function programsOf(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.map(({ line }) => line).filter((line) => !line.includes(' '));
}

export function wordsOf(value: Value | null): readonly string[] {
  return Array.isArray(value) ? value : [];
}
