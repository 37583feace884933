import { Option, type Command } from 'commander';

import type { CreateScheduleOptions, TimingOptions } from '../../commands/schedule.ts';
import { parseCount } from '../parse-option.ts';
import { addPageOptions } from '../lists/pages.ts';
import { addWatchOption, watched } from '../lists/watched.ts';
import { clientCommand } from './client-commands.ts';

const loadSchedule = () => import('../../commands/schedule.ts');
const loadWebhook = () => import('../../commands/webhook.ts');

/** As the API has them; the command line is read before anything of the program is loaded. */
const OVERLAPS = ['skip', 'queue', 'allow', 'cancel_previous'];

/** Commands about schedules and webhooks of a running runtime. */
export function declareManagementCommands(program: Command): void {
  declareScheduleCommands(program);
  declareWebhookCommands(program);
}

function declareScheduleCommands(program: Command): void {
  const schedule = program.command('schedule').description('start workflows by the clock');

  addWatchOption(clientCommand(schedule, 'list'))
    .description('list schedules with their next fires, newest first')
    .option('--limit <count>', 'print at most this many', parseCount)
    .option('--offset <count>', 'skip this many', parseCount)
    .action(watched(async (options) => (await loadSchedule()).listSchedules(options)));

  scheduleCommand(schedule, 'show')
    .description('print a schedule and its next fires')
    .action(async (id, options) => (await loadSchedule()).showSchedule(id, options));

  timed(clientCommand(schedule, 'create'))
    .description('create a schedule, or replace the one of this name')
    .argument('<name>', 'name of the schedule')
    .argument('<workflow>', 'workflow id')
    .option('--input <json>', 'input object as JSON, or @file (@-: stdin)', '{}')
    .option('--version <label>', 'this version instead of the latest registered one')
    .addOption(
      new Option('--overlap <policy>', 'how to treat a fire during a live execution')
        .choices(OVERLAPS)
        .default('skip'),
    )
    .option('--paused', 'create it paused')
    .action(async (name: string, workflow: string, options: CreateScheduleOptions) =>
      (await loadSchedule()).createSchedule(name, workflow, options),
    );

  scheduleCommand(schedule, 'pause')
    .description('pause a schedule')
    .action(async (id, options) => (await loadSchedule()).pauseSchedule(id, options));

  scheduleCommand(schedule, 'resume')
    .description('resume a paused schedule')
    .action(async (id, options) => (await loadSchedule()).resumeSchedule(id, options));

  scheduleCommand(schedule, 'trigger')
    .description('start the execution of a schedule now and print its id')
    .option('--idempotency-key <key>', 'repeat a trigger with this key to get the same execution')
    .action(async (id, options) => (await loadSchedule()).triggerSchedule(id, options));

  scheduleCommand(schedule, 'backfill')
    .description('start the executions of past fires that have not started')
    .requiredOption('--from <time>', 'fires from this time on, such as 2026-11-01T00:00:00Z')
    .requiredOption('--to <time>', 'fires before this time, which must have passed')
    .option('--dry-run', 'print the fires and start nothing')
    .action(async (id, options) => (await loadSchedule()).backfillSchedule(id, options));

  scheduleCommand(schedule, 'delete')
    .description('delete a schedule; its executions continue')
    .action(async (id, options) => (await loadSchedule()).deleteSchedule(id, options));

  timed(clientCommand(schedule, 'preview'))
    .description('print the next fires of a timing')
    .option('--count <count>', 'print this many', parseCount, 10)
    .action(async (options: TimingOptions & { readonly count: number }) =>
      (await loadSchedule()).previewSchedule(options),
    );
}

function declareWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('send events to your servers');

  clientCommand(webhook, 'list')
    .description('list webhooks, newest first')
    .action(async (options) => (await loadWebhook()).listWebhooks(options));

  clientCommand(webhook, 'create')
    .description('create a webhook and print its secret, this once')
    .argument('<url>', 'http or https address of the receiver')
    .option(
      '--event <type>',
      'only events of this type (repeatable)',
      (type: string, before?: readonly string[]) => [...(before ?? []), type],
    )
    .action(async (url, options) => (await loadWebhook()).createWebhook(url, options));

  webhookCommand(webhook, 'show')
    .description('print a webhook')
    .action(async (id, options) => (await loadWebhook()).showWebhook(id, options));

  webhookCommand(webhook, 'delete')
    .description('delete a webhook with its pending messages')
    .action(async (id, options) => (await loadWebhook()).deleteWebhook(id, options));

  addPageOptions(webhookCommand(webhook, 'deliveries'))
    .description('list the messages of a webhook, newest first')
    .action(async (id, options) => (await loadWebhook()).listDeliveries(id, options));

  webhookCommand(webhook, 'redeliver')
    .description('send a delivered or failed message again')
    .argument('<message>', 'message id, as in the list of deliveries')
    .action(async (id, message, options) => (await loadWebhook()).redeliver(id, message, options));
}

function timed(command: Command): Command {
  return command
    .addOption(new Option('--cron <expression>', 'cron expression').conflicts('every'))
    .option('--every <interval>', 'interval such as 15m')
    .option('--timezone <zone>', 'IANA time zone of the cron expression', 'UTC');
}

function scheduleCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name).argument('<schedule>', 'id or name of the schedule');
}

function webhookCommand(parent: Command, name: string): Command {
  return clientCommand(parent, name).argument('<webhook>', 'webhook id');
}
