import { Option, type Command } from 'commander';

import { databaseCommand } from './database-commands.ts';
import { parseBatch, parseDays, parseExpiry, parseWidth } from '../parse-option.ts';

const loadPolicies = () => import('../../commands/retention/policies.ts');
const loadPreview = () => import('../../commands/retention/preview.ts');
const loadRun = () => import('../../commands/retention/run.ts');
const loadPartition = () => import('../../commands/retention/partition.ts');

/** Commands for removing what ended long ago; they work on the database itself. */
export function declareRetentionCommands(program: Command): void {
  const retention = program
    .command('retention')
    .description('remove executions that ended long ago');

  policyCommand(retention, 'set')
    .description('say how many days executions are kept after their end')
    .option('--completed <days>', 'completed ones; 0: for good', parseDays)
    .option('--failed <days>', 'failed ones; 0: for good', parseDays)
    .option('--cancelled <days>', 'cancelled ones; 0: for good', parseDays)
    .action(async (options) => (await loadPolicies()).setPolicy(options));

  databaseCommand(retention, 'list')
    .description('list the policies, and what holds where there is none')
    .option('--tenant <tenant>', 'only this tenant; all if omitted')
    .action(async (options) => (await loadPolicies()).listPolicies(options));

  policyCommand(retention, 'remove')
    .description('take a policy back')
    .action(async (options) => (await loadPolicies()).removePolicy(options));

  selectingCommand(retention, 'preview')
    .description('print what a run would remove now, and remove nothing')
    .action(async (options) => (await loadPreview()).preview(options));

  selectingCommand(retention, 'run')
    .description('remove what may go now; can be broken off and run again at any time')
    .option('--dry-run', 'remove nothing: the same as preview')
    .option('--archive <folder>', 'write what is removed to files there first')
    .option('--batch <count>', 'remove this many executions together, at most', parseBatch, 100)
    .action(async (options) => (await loadRun()).run(options));

  databaseCommand(retention, 'partition')
    .description('keep events in partitions from now on (PostgreSQL); as the owner of the tables')
    .option('--days <days>', 'how many days a partition holds', parseWidth, 7)
    .action(async (options) => (await loadPartition()).partition(options));
}

function policyCommand(parent: Command, name: string): Command {
  return databaseCommand(parent, name)
    .option('--tenant <tenant>', 'tenant it is of', 'default')
    .option('--workflow <workflow>', 'only executions of this workflow; all others if omitted');
}

function selectingCommand(parent: Command, name: string): Command {
  return databaseCommand(parent, name)
    .option('--tenant <tenant>', 'only this tenant; all if omitted')
    .option('--workflow <workflow>', 'only executions of this workflow')
    .addOption(
      new Option('--status <status>', 'only those that ended so').choices([
        'completed',
        'failed',
        'cancelled',
      ]),
    )
    .option(
      '--older-than <duration>',
      'what ended longer ago than this, such as 90d, whatever the policies say; one day at least',
      parseExpiry,
    );
}
