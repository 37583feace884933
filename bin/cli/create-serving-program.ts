import { Command } from 'commander';

import { readVersion } from '../../src/runtime/version.ts';
import { declareRuntimeCommands } from './declare/runtime-commands.ts';
import { addExamples } from './examples.ts';

/** Only the commands that run the service: to load and declare all takes a twentieth of their start. */
export function createServingProgram(): Command {
  const program = createBareProgram();
  addExamples(program);
  return program;
}

/** The same, to which other commands are added. */
export function createBareProgram(): Command {
  const program = new Command('svc')
    .description('Runs workflows durably on PostgreSQL or one SQLite file.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    // Lets `--version` after a command be that command's own option.
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options)')
    .exitOverride();
  declareRuntimeCommands(program);
  return program;
}
