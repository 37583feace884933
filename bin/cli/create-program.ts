import type { Command } from 'commander';

import { createBareProgram } from './create-serving-program.ts';
import { declareClientCommands } from './declare/client-commands.ts';
import { declareCompletionCommand } from './declare/completion-command.ts';
import { declareDatabaseCommands } from './declare/database-commands.ts';
import { declareManagementCommands } from './declare/management-commands.ts';
import { declareRetentionCommands } from './declare/retention-commands.ts';
import { declareEvalCommands } from './declare/eval-commands.ts';
import { declareOverviewCommands } from './declare/overview-commands.ts';
import { declareProfileCommands } from './declare/profile-commands.ts';
import { declareResourceCommands } from './declare/resource-commands.ts';
import { addExamples } from './examples.ts';

/*
 * The command line, as declarations only: what a command does is imported when it is the one that
 * was asked for, so `svc version` never loads a database driver.
 */

export function createProgram(): Command {
  const program = createBareProgram();
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
