import { InvalidArgumentError, Option, type Command } from 'commander';

import type { OutputFormat } from './output.ts';

const FORMATS = ['table', 'json'] as const satisfies readonly OutputFormat[];
const ALL_FORMATS = ['table', 'wide', 'json', 'yaml', 'ids'];

/**
 * Lets a user choose how a command prints its result. Commands know tables and data; prepare-command.ts
 * chooses the renderer of the data.
 */
export function addOutputOption(command: Command): Command {
  return command
    .addOption(
      new Option('-o, --output <format>', 'format of the result')
        .choices(ALL_FORMATS)
        .default('table'),
    )
    .addOption(hiddenJsonOption().implies({ output: 'json' }));
}

/** For a command that prints lines of JSON in any case. */
export function addJsonLinesOption(command: Command): Command {
  return command
    .addOption(
      new Option('-o, --output <format>', 'format of the result, one document a line')
        .choices(['json'])
        .default('json'),
    )
    .addOption(hiddenJsonOption());
}

/**
 * For `eval run`, whose `--output` named the file of the report before there was `--report`. A value
 * with a dot or a slash still names it.
 */
export function addOutputOrFileOption(command: Command): Command {
  return command
    .addOption(
      new Option('-o, --output <format>', 'format of the result')
        .choices(FORMATS)
        .argParser(parseOutputOrFile)
        .default('table'),
    )
    .addOption(hiddenJsonOption());
}

/** Older scripts say `--json`. */
function hiddenJsonOption(): Option {
  return new Option('--json', 'the same as --output json').hideHelp();
}

function parseOutputOrFile(text: string): string {
  if (FORMATS.some((format) => format === text) || /[./]/.test(text)) return text;
  throw new InvalidArgumentError('Allowed choices are table, json.');
}
