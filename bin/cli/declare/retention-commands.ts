import { Option, type Command } from 'commander';

import { databaseCommand } from './database-commands.ts';
import { parseBatch, parseDays, parseExpiry, parseWidth } from '../parse-option.ts';

const loadPolicies = () => import('../../commands/retention/policies.ts');
const loadPreview = () => import('../../commands/retention/preview.ts');
const loadRun = () => import('../../commands/retention/run.ts');
const loadPartition = () => import('../../commands/retention/partition.ts');

/** Commands that remove old executions; they work on the database itself. */
export function declareRetentionCommands(program: Command): void {
  const retention = program
    .command('retention')
    .description('remove executions that ended long ago');

  policyCommand(retention, 'set')
    .description('set how long executions are kept after their end')
    .option(
      '--completed <days>',
      'days to keep completed executions (0 keeps them forever)',
      parseDays,
    )
    .option('--failed <days>', 'days to keep failed executions (0 keeps them forever)', parseDays)
    .option(
      '--cancelled <days>',
      'days to keep cancelled executions (0 keeps them forever)',
      parseDays,
    )
    .action(async (options) => (await loadPolicies()).setPolicy(options));

  databaseCommand(retention, 'list')
    .description('list the policies and the defaults')
    .option('--tenant <tenant>', 'only this tenant; all if omitted')
    .action(async (options) => (await loadPolicies()).listPolicies(options));

  policyCommand(retention, 'remove')
    .description('remove a policy')
    .action(async (options) => (await loadPolicies()).removePolicy(options));

  selectingCommand(retention, 'preview')
    .description('print what a run would remove now')
    .action(async (options) => (await loadPreview()).preview(options));

  selectingCommand(retention, 'run')
    .description('remove expired executions; you can interrupt and repeat it')
    .option('--dry-run', 'remove nothing; same as preview')
    .option('--archive <folder>', 'first archive the removed executions to files in this folder')
    .option(
      '--batch <count>',
      'remove at most this many executions per transaction',
      parseBatch,
      100,
    )
    .action(async (options) => (await loadRun()).run(options));

  databaseCommand(retention, 'partition')
    .description('store new events in partitions (PostgreSQL, as the table owner)')
    .option('--days <days>', 'days per partition', parseWidth, 7)
    .action(async (options) => (await loadPartition()).partition(options));
}

function policyCommand(parent: Command, name: string): Command {
  return databaseCommand(parent, name)
    .option('--tenant <tenant>', 'tenant of the policy', 'default')
    .option('--workflow <workflow>', 'only executions of this workflow; all others if omitted');
}

function selectingCommand(parent: Command, name: string): Command {
  return databaseCommand(parent, name)
    .option('--tenant <tenant>', 'only this tenant; all if omitted')
    .option('--workflow <workflow>', 'only executions of this workflow')
    .addOption(
      new Option('--status <status>', 'only executions with this outcome').choices([
        'completed',
        'failed',
        'cancelled',
      ]),
    )
    .option(
      '--older-than <duration>',
      'ended longer ago than this, such as 90d, regardless of policies; at least 1d',
      parseExpiry,
    );
}
