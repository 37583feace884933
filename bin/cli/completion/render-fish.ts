import {
  IN_TIME,
  isLive,
  type CompletedCommand,
  type CompletedOption,
  type Value,
} from './completed-commands.ts';
import { linesBelow } from './match.ts';
import { programsOf, wordsOf } from './render-bash.ts';

/** A script for fish, which loads it when svc is completed for the first time. */
export function renderFish(commands: readonly CompletedCommand[]): string {
  return `# Completion of svc for fish:
#   svc completion fish > ~/.config/fish/completions/svc.fish

set -g __svc_lines ${linesBelow(commands).map(quote).join(' ')}

# Whether the words before the cursor have come to this command.
function __svc_at
    set -l words (commandline -opc)
    set -l line (string replace -r '.*/' '' -- $words[1])
    for word in $words[2..-1]
        if contains -- "$line $word" $__svc_lines
            set line "$line $word"
        end
    end
    test "$line" = "$argv[1]"
end

${programsOf(commands)
  .map((program) => `complete -c ${program} -f`)
  .join('\n')}
${commands.flatMap(renderCommand).join('\n')}
`;
}

function renderCommand(command: CompletedCommand): readonly string[] {
  const { line, subcommands, options, argument } = command;
  const [program = ''] = line.split(' ');
  const start = `complete -c ${program} -n ${quote(`__svc_at ${quote(line)}`)}`;
  return [
    ...subcommands.map(
      ({ word, description }) => `${start} -a ${quote(word)} -d ${quote(description)}`,
    ),
    ...(argument === 'file' ? [`${start} -F`] : []),
    ...(isLive(argument)
      ? [`${start} -a ${quote(`(env ${IN_TIME} ${program} ${argument.list} 2>/dev/null)`)}`]
      : []),
    ...(Array.isArray(argument) ? [`${start} -a ${quote(argument.join(' '))}`] : []),
    ...options.map((option) => `${start} ${renderOption(option)}`),
  ];
}

function renderOption({ names, description, value }: CompletedOption): string {
  const flags = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  return [...flags, ...renderValue(value), `-d ${quote(description)}`].join(' ');
}

function renderValue(value: Value | null): readonly string[] {
  if (value === null) return [];
  if (value === 'file') return ['-r -F'];
  return value === 'any' || isLive(value) ? ['-x'] : [`-x -a ${quote(wordsOf(value).join(' '))}`];
}

/** In single quotes fish knows two escapes. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
