import type { Command, Option } from 'commander';

import { EXAMPLES } from './examples.ts';
import { EXIT } from './exit-code.ts';

/** `docs/reference/cli.md`, made from the declarations of the commands. */
export function renderCliDocs(programs: {
  readonly svc: Command;
  /** `svc-api` and `svc-scheduler`. */
  readonly roles: readonly Command[];
}): string {
  const commands = leavesOf(programs.svc);
  return [
    '# Command line',
    'This page is generated from the declarations in `bin/cli/`. `--help` after any command prints the same.',
    '`dev` and `serve` run the service. Commands with `--url` call a running service over HTTP. Those under\n' +
      '`db`, `token`, `audit`, `memory` and `retention` work on the database itself. Commands print results on\n' +
      'stdout, and notes and errors on stderr. [Work on the command line](../guides/command-line.md) explains\n' +
      'formats, ids from stdin, contexts and completion.',
    renderTable(
      ['Command', 'What it does'],
      commands.map((command) => [
        `[\`${nameOf(command)}\`](#${anchorOf(command)})`,
        command.description(),
      ]),
    ),
    ...commands.map((command) => renderCommand(command)),
    '## Processes with one role',
    ...programs.roles.map((role) => renderCommand(role, '###')),
    '## Exit codes',
    renderTable(
      ['Code', 'Meaning'],
      Object.entries(EXIT_MEANINGS).map(([name, meaning]) => [
        String(EXIT[name as keyof typeof EXIT]),
        meaning,
      ]),
    ),
    'A serving process exits with 0 after a clean stop. A second signal stops it at once, with 128 plus\n' +
      "the signal's number. A signal within a second of the first counts as its copy.",
    '## Environment',
    renderTable(['Variable', 'Option'], environmentOf(commands)),
    'Commands that open the database or run the service also read every variable of\n' +
      '[configuration.md](configuration.md). A flag overrides a variable, and a variable overrides the\n' +
      'configuration file.',
    '',
  ].join('\n\n');
}

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'Done.',
  failure: 'The command failed.',
  usage: 'The command line, the configuration or the input file is wrong.',
  unauthenticated: 'The runtime did not accept the token.',
  notFound: 'The named object does not exist.',
  executionFailed:
    'The execution that the command waited for or asked about failed or was cancelled.',
};

function renderCommand(command: Command, heading = '##'): string {
  const parts = [`${heading} ${nameOf(command)}`, `${capitalise(command.description())}.`];
  parts.push(`\`\`\`\n${nameOf(command)} ${command.usage()}\n\`\`\``);
  if (command.registeredArguments.length > 0) {
    const rows = command.registeredArguments.map((argument) => [
      `\`<${argument.name()}>\``,
      argument.description,
    ]);
    parts.push(renderTable(['Argument', 'Meaning'], rows));
  }
  const options = command.options.filter(
    (option) => !option.hidden && (option.long !== '--version' || option.required),
  );
  if (options.length > 0)
    parts.push(renderTable(['Option', 'Meaning'], options.map(describeOption)));
  const examples = EXAMPLES[nameOf(command)];
  if (examples !== undefined) parts.push(`\`\`\`sh\n${examples.join('\n')}\n\`\`\``);
  return parts.join('\n\n');
}

function describeOption(option: Option): readonly string[] {
  const notes = [
    option.description,
    option.argChoices && `One of ${option.argChoices.map(quote).join(', ')}.`,
    option.mandatory && 'Required.',
    option.defaultValue !== undefined && `Default ${quote(String(option.defaultValue))}.`,
    option.envVar && `Also ${quote(option.envVar)}.`,
  ];
  return [quote(option.flags), notes.filter(Boolean).map(String).map(endSentence).join(' ')];
}

function environmentOf(commands: readonly Command[]): readonly (readonly string[])[] {
  const found = new Map(
    commands
      .flatMap((command) => command.options)
      .flatMap((option) => (option.envVar === undefined ? [] : [[option.envVar, option] as const])),
  );
  return [...found].map(([name, option]) => [
    quote(name),
    `${quote(option.long ?? option.flags)}: ${option.description}`,
  ]);
}

/** Commands that do something, in the order of their declaration. */
function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function anchorOf(command: Command): string {
  return nameOf(command).replaceAll(' ', '-');
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function quote(text: string): string {
  return `\`${text}\``;
}

function endSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
