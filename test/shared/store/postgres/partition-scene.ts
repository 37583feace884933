import {
  executionIdFromUuid,
  type ExecutionId,
  type TenantId,
} from '../../../../src/shared/domain/ids.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { runOnServer } from '../../../support/database.ts';
import { commitOne, type Started } from '../contract/drive.ts';
import { makeNewExecution, makePlan, makeStarted, makeUuid } from '../contract/make.ts';

const DAY_MS = 86_400_000;

/** Starts an execution now, under an id of this many days from now. */
export async function startAt(
  { store, tenantId }: { readonly store: Store; readonly tenantId: TenantId },
  inDays: number,
): Promise<Started> {
  const executionId = idAt(inDays);
  const execution = { executionId, tenantId };
  const create = makeNewExecution();
  await commitOne(store, makePlan(execution, { create, events: [makeStarted(create)] }));
  return execution;
}

function idAt(inDays: number): ExecutionId {
  const time = (Date.now() + inDays * DAY_MS).toString(16).padStart(12, '0');
  return executionIdFromUuid(`${time}${makeUuid().replaceAll('-', '').slice(12)}`);
}

export async function partitionAt(url: string, inDays: number): Promise<string> {
  const { rows } = await runOnServer(
    url,
    `select partition_name as name from event_partitions
     where from_at <= now() + interval '${inDays} days' and to_at > now() + interval '${inDays} days'`,
  );
  return (rows as readonly { readonly name: string }[])[0]?.name ?? 'none';
}

/** Simulates that partitions of seven days began 40 days ago. */
export async function partitionPast(url: string): Promise<void> {
  await runOnServer(
    url,
    `do $$
     declare
       begin_at constant timestamptz := clock_timestamp() - interval '40 days';
     begin
       execute format(
         'alter table events add constraint events_before check (execution_id < %L)',
         uuid_floor(begin_at)
       );
       perform finish_event_partitions(begin_at, 7);
     end
     $$`,
  );
}
