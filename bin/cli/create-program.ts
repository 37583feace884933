import { Command } from 'commander';

import { declareClientCommands } from './declare/client-commands.ts';
import { declareCompletionCommand } from './declare/completion-command.ts';
import { declareDatabaseCommands } from './declare/database-commands.ts';
import { declareManagementCommands } from './declare/management-commands.ts';
import { declareRetentionCommands } from './declare/retention-commands.ts';
import { declareEvalCommands } from './declare/eval-commands.ts';
import { declareOverviewCommands } from './declare/overview-commands.ts';
import { declareProfileCommands } from './declare/profile-commands.ts';
import { declareResourceCommands } from './declare/resource-commands.ts';
import { declareRuntimeCommands } from './declare/runtime-commands.ts';
import { addExamples } from './examples.ts';
import { readVersion } from '../../src/runtime/version.ts';

/*
 * The command line, as declarations only: what a command does is imported when it is the one that
 * was asked for, so `svc version` never loads a database driver.
 */

/** `isServing`: only the commands that run the service; to declare all takes a twentieth of their start. */
export function createProgram({ isServing = false } = {}): Command {
  const program = new Command('svc')
    .description('Runs workflows durably on PostgreSQL or one SQLite file.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    // Lets `--version` after a command be that command's own option.
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options)')
    .exitOverride();
  declareRuntimeCommands(program);
  if (isServing) {
    addExamples(program);
    return program;
  }
  program.hook('preAction', async (_, command) =>
    (await import('./prepare-command.ts')).prepareCommand(command),
  );
  declareDatabaseCommands(program);
  declareRetentionCommands(program);
  declareClientCommands(program);
  declareOverviewCommands(program);
  declareManagementCommands(program);
  declareEvalCommands(program);
  declareResourceCommands(program);
  declareProfileCommands(program);
  declareCompletionCommand(program);
  addExamples(program);
  return program;
}
