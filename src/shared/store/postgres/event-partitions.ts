import { setTimeout as delay } from 'node:timers/promises';

import { sql } from 'slonik';
import { z } from 'zod';

import type { PartitionRound, RetentionStore } from '../retention.ts';
import { StoreUnavailableError } from '../store.ts';
import type { ConnectionSettings } from './connect.ts';
import { openManagement, type Management } from './management.ts';

/*
 * Partitions of `events`, see migration 0016. Whatever takes a lock that others would wait for gives up
 * after a tenth of a second, and is tried again: a lock that is waited for holds up everybody who comes
 * after it. What reads a whole table or partition does so before it asks for the lock, over a
 * connection whose statements may take long.
 */

const BeginRecord = z.object({ begin_at: z.string().nullable() });
const DoneRecord = z.object({ done: z.boolean() });
const PartitionRecord = z.object({ partition_name: z.string(), is_due_for_sweep: z.boolean() });
const SweptRecord = z.object({ events: z.int(), last: z.string().nullable() });

const LONG_STATEMENT_MS = 24 * 3_600_000;
const TRIES_MAX = 600;
const TRY_AGAIN_MS = 250;
/** Executions whose events are deleted together. */
const SWEPT_AT_A_TIME = 100;

export async function partitionEvents(
  management: Management,
  settings: ConnectionSettings,
  { days }: Parameters<RetentionStore['partitionEvents']>[0],
): ReturnType<RetentionStore['partitionEvents']> {
  const [begun] = await patiently(() =>
    management.any(sql.type(BeginRecord)`select prepare_event_partitions() as begin_at`, {
      writes: true,
    }),
  );
  const beginAt = begun?.begin_at ?? null;
  if (beginAt === null) return 'already';
  const long = await openManagement({ ...settings, statementTimeoutMs: LONG_STATEMENT_MS });
  try {
    await long.any(sql.type(DoneRecord)`alter table events validate constraint events_before`, {
      writes: true,
    });
    await patiently(() =>
      management.any(
        sql.type(DoneRecord)`
          select true as done
          from finish_event_partitions(${beginAt}::timestamptz, ${days}::int)`,
        { writes: true },
      ),
    );
    return 'done';
  } catch (error) {
    await patiently(() =>
      management.any(sql.type(DoneRecord)`select true as done from abandon_event_partitions()`, {
        writes: true,
      }),
    );
    throw error;
  } finally {
    await long.close();
  }
}

export async function tendPartitions(
  management: Management,
  settings: ConnectionSettings,
  { sweepAfterMs }: Parameters<RetentionStore['tendPartitions']>[0],
): Promise<PartitionRound> {
  const partitions = await management.any(sql.type(PartitionRecord)`
    select p.partition_name,
      coalesce(
        p.to_at <= clock_timestamp() - ${sweepAfterMs}::int8 * interval '1 millisecond'
          and p.swept_at is distinct from greatest(
            p.swept_at, clock_timestamp() - interval '1 day'
          ),
        false
      ) as is_due_for_sweep
    from event_partitions p
    where p.to_at <= clock_timestamp() - interval '1 day'
    order by p.from_at`);
  let round = { made: 0, dropped: 0, sweptEvents: 0, postponed: 0 };
  await unlessLocked(() =>
    management.any(sql.type(DoneRecord)`select heal_event_partitions() as done`, { writes: true }),
  );
  for (;;) {
    const [made] = await unlessLocked(() =>
      management.any(sql.type(DoneRecord)`select extend_event_partitions() as done`, {
        writes: true,
      }),
    );
    if (made === undefined) round = { ...round, postponed: round.postponed + 1 };
    if (made?.done !== true) break;
    round = { ...round, made: round.made + 1 };
  }
  if (partitions.length === 0) return round;
  const long = await openManagement({ ...settings, statementTimeoutMs: LONG_STATEMENT_MS });
  try {
    for (const { partition_name: name, is_due_for_sweep: isDue } of partitions) {
      const [dropped] = await unlessLocked(() =>
        long.any(sql.type(DoneRecord)`select drop_event_partition(${name}) as done`, {
          writes: true,
        }),
      );
      if (dropped === undefined) round = { ...round, postponed: round.postponed + 1 };
      else if (dropped.done) round = { ...round, dropped: round.dropped + 1 };
      else if (isDue) {
        const events = await sweep(management, name);
        round = { ...round, sweptEvents: round.sweptEvents + events };
      }
    }
  } finally {
    await long.close();
  }
  return round;
}

/** Deletes the events of removed executions from a partition in which others stay. */
async function sweep(management: Management, name: string): Promise<number> {
  let events = 0;
  let after: string | null = null;
  for (;;) {
    const rows: readonly z.infer<typeof SweptRecord>[] = await management.any(
      sql.type(SweptRecord)`
      with page as materialized (
        select r.execution_id
        from event_partitions p
        join retired_executions r
          on r.execution_id >= p.from_id and r.execution_id < p.to_id
        where p.partition_name = ${name}
          and (${after}::uuid is null or r.execution_id > ${after}::uuid)
        order by r.execution_id
        limit ${SWEPT_AT_A_TIME}
      ),
      gone as (
        delete from events v
        where v.execution_id = any(array(select p.execution_id from page p))
        returning v.sequence
      )
      select (select count(*) from gone) as events, max(p.execution_id::text) as last
      from page p`,
      { writes: true },
    );
    const last = rows[0]?.last ?? null;
    events += rows[0]?.events ?? 0;
    if (last === null) break;
    after = last;
  }
  await management.any(
    sql.type(DoneRecord)`select true as done from note_event_partition_swept(${name})`,
    { writes: true },
  );
  return events;
}

/** Empty: others use what was to be locked. */
async function unlessLocked<Row>(work: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await work();
  } catch (error) {
    if (isLocked(error)) return [];
    throw error;
  }
}

async function patiently<Row>(work: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || attempt >= TRIES_MAX) throw error;
    }
    await delay(TRY_AGAIN_MS);
  }
}

function isLocked(error: unknown): boolean {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  return cause instanceof Error && 'code' in cause && cause.code === '55P03';
}
