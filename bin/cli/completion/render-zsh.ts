import {
  IN_TIME,
  isLive,
  type CompletedCommand,
  type Value,
  type Word,
} from './completed-commands.ts';
import { anyOf, linesBelow, quoteForShell, valuesAfterOptions } from './match.ts';
import { programsOf, wordsOf } from './render-bash.ts';

/** A script for zsh, for a folder of `fpath` or to be sourced. */
export function renderZsh(commands: readonly CompletedCommand[]): string {
  const programs = programsOf(commands).join(' ');
  const values = valuesAfterOptions(commands);
  const after = (wanted: (value: Value) => boolean) =>
    anyOf(values.filter(({ value }) => wanted(value)).map((one) => one.after));
  const choices = values.filter(({ value }) => Array.isArray(value));
  return `#compdef ${programs}
# Completion of svc for zsh. Write it into a folder of fpath:
#   svc completion zsh > "\${fpath[1]}/_svc"
# or load it in ~/.zshrc, after compinit: source <(svc completion zsh)

_svc() {
  local line=\${words[1]:t} prev=\${words[CURRENT - 1]} word
  local -a commands options
  # "--role=api" is one word.
  if [[ $PREFIX == --*=* ]]; then
    prev=\${PREFIX%%=*}
    compset -P '*='
  fi
  for word in "\${(@)words[2, CURRENT - 1]}"; do
    case "$line $word" in
      (${anyOf(linesBelow(commands))}) line="$line $word" ;;
    esac
  done
  case "$line $prev" in
${choices.map(({ after: option, value }) => `    ("${option}") compadd -- ${wordsOf(value).join(' ')}; return ;;`).join('\n')}
    (${after((value) => value === 'file')}) _files; return ;;
    (${after((value) => value === 'any')}) return 1 ;;
  esac
  case "$line" in
${commands.map(renderCommand).join('\n')}
  esac
  if [[ $PREFIX != -* ]] && (( $#commands )); then
    _describe -t commands command commands
  else
    _describe -o -t options option options
  fi
}

if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc ${programs}
fi
`;
}

function renderCommand({ line, subcommands, options, argument }: CompletedCommand): string {
  const commands = [
    ...subcommands,
    ...wordsOf(argument).map((word) => ({ word, description: word })),
  ];
  const names = options.flatMap((option) =>
    option.names.map((word) => ({ word, description: option.description })),
  );
  const files = argument === 'file' ? '\n      [[ $PREFIX == -* ]] || _files' : '';
  const ids = isLive(argument)
    ? `\n      [[ $PREFIX == -* ]] || compadd -- \${(f)"$(${IN_TIME} "\${words[1]}" ${argument.list} 2>/dev/null)"}`
    : '';
  return `    ("${line}")
      commands=(${commands.map(describe).join(' ')})
      options=(${names.map(describe).join(' ')})${files}${ids}
      ;;`;
}

function describe({ word, description }: Word): string {
  const escaped = word.replaceAll(':', String.raw`\:`);
  return quoteForShell(`${escaped}:${description}`);
}
