import type { Argument, Command, Option } from 'commander';

/*
 * The commands for the scripts of bash, zsh and fish. They are static: a library such as
 * `@bomb.sh/tab` 0.0.22 starts the program at each press of Tab (0.13 s), offers no files, and
 * evaluates the words typed so far.
 */

/** A command as a shell completes it. */
export interface CompletedCommand {
  /** The typed words that reach it: `svc db migrate`. */
  readonly line: string;
  readonly subcommands: readonly Word[];
  readonly options: readonly CompletedOption[];
  /** Its first argument; null: it takes none. */
  readonly argument: Value | null;
}

export interface Word {
  readonly word: string;
  readonly description: string;
}

export interface CompletedOption {
  /** `--output` before `-o`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Null: it takes none. */
  readonly value: Value | null;
}

/** Words to choose from, a path, or what only the user knows. */
export type Value = readonly string[] | 'file' | 'any';

/** All commands of the programs, those with subcommands included. */
export function completedCommands(programs: readonly Command[]): readonly CompletedCommand[] {
  return programs.flatMap((program) => describe(program, program.name()));
}

function describe(command: Command, line: string): readonly CompletedCommand[] {
  const help = command.createHelp();
  const [argument] = command.registeredArguments;
  return [
    {
      line,
      subcommands: help.visibleCommands(command).map((sub) => ({
        word: sub.name(),
        description: sub.description() || 'print help',
      })),
      options: help.visibleOptions(command).map(describeOption),
      argument: argument === undefined ? null : valueOf(argument, argument.name()),
    },
    ...command.commands.flatMap((sub) => describe(sub, `${line} ${sub.name()}`)),
  ];
}

function describeOption(option: Option): CompletedOption {
  const [, placeholder] = /[<[]([\w-]+)/.exec(option.flags) ?? [];
  return {
    names: [option.long, option.short].filter((name) => name !== undefined && name !== null),
    description: option.description,
    value: placeholder === undefined ? null : valueOf(option, placeholder),
  };
}

const FILES = new Set(['file', 'folder', 'report', 'path']);

function valueOf({ argChoices }: Argument | Option, name: string): Value {
  return argChoices ?? (FILES.has(name) ? 'file' : 'any');
}
