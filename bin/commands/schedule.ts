import { randomUUID } from 'node:crypto';

import type { WireBackfill, WireSchedule } from '../../src/shared/clients/svc/management-client.ts';
import { connectManagement, type ClientOptions } from '../cli/client.ts';
import { CliError } from '../cli/exit-code.ts';
import { readObjectOption } from '../cli/json-option.ts';
import { printFields, printJson, printLine } from '../cli/output.ts';
import { printList } from '../cli/lists/print-list.ts';

export interface TimingOptions extends ClientOptions {
  readonly cron?: string;
  readonly every?: string;
  readonly timezone: string;
}

export interface CreateScheduleOptions extends TimingOptions {
  readonly input: string;
  readonly version?: string;
  readonly overlap: string;
  readonly paused?: boolean;
}

export async function listSchedules(
  options: ClientOptions & { readonly limit?: number; readonly offset?: number },
): Promise<void> {
  const { limit = null, offset = null } = options;
  const answer = await connectManagement(options).listSchedules({ limit, offset });
  if (options.output === 'json') return printJson(answer);
  printList({
    member: 'schedules',
    head: ['NAME', 'WORKFLOW', 'WHEN', 'NEXT', 'LAST', 'ERROR'],
    rows: answer.schedules.map((schedule) => [
      schedule.name,
      schedule.workflow_id,
      describeTiming(schedule),
      schedule.paused ? 'paused' : schedule.next_fires[0],
      schedule.last_fire_at,
      schedule.last_error,
    ]),
  });
}

export async function showSchedule(schedule: string, options: ClientOptions): Promise<void> {
  const found = await connectManagement(options).readSchedule(schedule);
  if (options.output === 'json') printJson(found);
  else printFields({ ...found });
}

export async function createSchedule(
  name: string,
  workflow: string,
  options: CreateScheduleOptions,
): Promise<void> {
  const input = await readObjectOption('--input', options.input);
  const created = await connectManagement(options).createSchedule({
    ...timingOf(options),
    name,
    workflow_id: workflow,
    ...(options.version !== undefined && { workflow_version: options.version }),
    input,
    overlap_policy: options.overlap,
    paused: options.paused === true,
  });
  print(created, options);
}

export async function pauseSchedule(schedule: string, options: ClientOptions): Promise<void> {
  print(await connectManagement(options).updateSchedule(schedule, { paused: true }), options);
}

export async function resumeSchedule(schedule: string, options: ClientOptions): Promise<void> {
  print(await connectManagement(options).updateSchedule(schedule, { paused: false }), options);
}

export async function triggerSchedule(
  schedule: string,
  options: ClientOptions & { readonly idempotencyKey?: string },
): Promise<void> {
  const key = options.idempotencyKey ?? randomUUID();
  const answer = await connectManagement(options).triggerSchedule(schedule, key);
  if (options.output === 'json') printJson(answer);
  else printLine(answer.execution_id);
}

export interface BackfillOptions extends ClientOptions {
  readonly from: string;
  readonly to: string;
  readonly dryRun?: boolean;
}

/** Asks until no fire is left; prints the fires of each answer at once. */
export async function backfillSchedule(schedule: string, options: BackfillOptions): Promise<void> {
  const { to, dryRun = false, output } = options;
  const client = connectManagement(options);
  const fires: WireBackfill['fires'][number][] = [];
  for (let from: string | null = options.from; from !== null;) {
    const answer: WireBackfill = await client.backfillSchedule(schedule, {
      from,
      to,
      dry_run: dryRun,
    });
    fires.push(...answer.fires);
    if (output !== 'json') printFires(answer.fires);
    if (answer.stopped_by !== null) {
      if (output === 'json') printJson({ ...answer, fires });
      throw new CliError(
        `the fire at ${answer.next_from} was not started: ${answer.stopped_by}; ` +
          `continue with --from ${answer.next_from}`,
      );
    }
    from = answer.next_from;
  }
  if (output === 'json') printJson({ fires, next_from: null, stopped_by: null });
  else if (fires.length === 0) printLine('no fires in this time');
}

function printFires(fires: WireBackfill['fires']): void {
  for (const fire of fires) {
    printLine(`${fire.fire_at}  ${fire.execution_id}  ${fire.outcome.replace('_', ' ')}`);
  }
}

export async function deleteSchedule(schedule: string, options: ClientOptions): Promise<void> {
  const deleted = await connectManagement(options).deleteSchedule(schedule);
  if (options.output === 'json') printJson(deleted);
  else printLine(`deleted schedule ${deleted.name}`);
}

export async function previewSchedule(
  options: TimingOptions & { readonly count: number },
): Promise<void> {
  const { count } = options;
  const answer = await connectManagement(options).previewSchedule({ ...timingOf(options), count });
  if (options.output === 'json') return printJson(answer);
  for (const fire of answer.next_fires) printLine(fire);
}

/** The runtime says what is wrong with it. */
function timingOf({ cron, every, timezone }: TimingOptions) {
  return {
    ...(cron !== undefined && { cron_expression: cron }),
    ...(every !== undefined && { every }),
    timezone,
  };
}

function print(schedule: WireSchedule, options: ClientOptions): void {
  if (options.output === 'json') return printJson(schedule);
  const { name, paused, next_fires: fires } = schedule;
  printLine(`${name} ${paused ? 'is paused' : `fires next at ${fires[0] ?? 'no time'}`}`);
}

function describeTiming({ cron_expression: cron, every, timezone }: WireSchedule): string {
  return cron === null ? `every ${every}` : `${cron} (${timezone})`;
}
