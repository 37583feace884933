import type { Argument, Command, Option } from 'commander';

/*
 * The commands for the scripts of bash, zsh and fish. The scripts are static: a library such as
 * `@bomb.sh/tab` 0.0.22 starts the program at each press of Tab (0.13 s), offers no files, and
 * evaluates the words typed so far. A script calls the program for ids only, with words from the script.
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

/** Words to choose from, a path, what a command prints, or what only the user knows. */
export type Value = readonly string[] | 'file' | 'any' | LiveIds;

/** The arguments after `svc` that print the ids, one a line. */
export interface LiveIds {
  readonly list: string;
}

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
      argument:
        argument === undefined ? null : valueOf(argument, argument.name(), command.parent?.name()),
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

/** A runtime that does not answer must not hold up the shell. */
export const IN_TIME = 'SVC_REQUEST_TIMEOUT=1s';

const NEWEST = '--limit 50 -o ids';

/** Lists of ids, by the name of the argument that takes one. */
const LIVE: Readonly<Record<string, string>> = {
  execution: `execution list ${NEWEST}`,
  workflow: `workflow list ${NEWEST}`,
  schedule: `schedule list ${NEWEST}`,
  webhook: 'webhook list -o ids',
  agent: `agent list ${NEWEST}`,
  tenant: `tenant list ${NEWEST}`,
  worker: 'worker list -o ids',
  'work-item': `work-item list ${NEWEST}`,
  group: `failure list ${NEWEST}`,
  context: 'context list -o ids',
};

/** Lists of ids for all commands of a noun: few of the newest executions ask for a decision. */
const LIVE_OF_NOUN: Readonly<Record<string, string>> = {
  approval: `approval list ${NEWEST}`,
};

function valueOf(declared: Argument | Option, name: string, noun = ''): Value {
  if (declared.argChoices !== undefined) return declared.argChoices;
  if (FILES.has(name)) return 'file';
  // Options name tenants and workflows of databases too, which no runtime need serve.
  const list = 'long' in declared ? undefined : (LIVE_OF_NOUN[noun] ?? LIVE[name]);
  return list === undefined ? 'any' : { list };
}

export function isLive(value: Value | null): value is LiveIds {
  return value !== null && typeof value === 'object' && 'list' in value;
}
