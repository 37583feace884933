import { setTimeout as delay } from 'node:timers/promises';

import { sql } from 'slonik';
import { z } from 'zod';

import { executionIdFromUuid } from '../../../domain/ids.ts';
import type { EventPartition, PartitionRound, RetentionStore } from '../../retention.ts';
import { StoreUnavailableError } from '../../unavailable.ts';
import type { LentSettings } from '../connection/connect.ts';
import { openManagement, type Management } from '../connection/management.ts';

/*
 * Partitions of `events`, see migration 0016. A statement that takes a lock which others would wait
 * for gives up after a tenth of a second, and is tried again: a waiting lock request blocks every
 * later one. Reads of a whole table or partition come before the lock, over a connection whose
 * statements may take long.
 */

const BeginRecord = z.object({ begin_at: z.string().nullable() });
const DoneRecord = z.object({ done: z.boolean() });
const PartitionRecord = z.object({
  partition_name: z.string(),
  from_id: z.string(),
  to_id: z.string(),
  is_due_for_sweep: z.boolean(),
});
const ListedRecord = z.object({
  partition_name: z.string(),
  from_at: z.string(),
  to_at: z.string(),
  from_id: z.string(),
  to_id: z.string(),
  bytes: z.int(),
  executions: z.int(),
});
const SweptRecord = z.object({ events: z.int(), last: z.string().nullable() });

const LONG_STATEMENT_MS = 24 * 3_600_000;
const TRIES_MAX = 600;
const TRY_AGAIN_MS = 250;
/** Executions whose events are deleted together. */
const SWEPT_AT_A_TIME = 100;
/** The most rows that are copied under a lock that blocks everybody: some tens of milliseconds. */
const SHRUNK_EVENTS_MAX = 5_000;
/** Less disk is not worth that lock. */
const SHRUNK_BYTES_MIN = 16 * 1024 * 1024;

export async function partitionEvents(
  management: Management,
  settings: LentSettings,
  { days }: Parameters<RetentionStore['partitionEvents']>[0],
): ReturnType<RetentionStore['partitionEvents']> {
  const [begun] = await patiently(() =>
    management.any(sql.type(BeginRecord)`select prepare_event_partitions() as begin_at`, {
      writes: true,
    }),
  );
  const beginAt = begun?.begin_at ?? null;
  if (beginAt === null) return 'already';
  try {
    await withLongStatements(settings, (long) =>
      long.any(sql.type(DoneRecord)`alter table events validate constraint events_before`, {
        writes: true,
      }),
    );
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
  }
}

async function withLongStatements<Result>(
  settings: LentSettings,
  work: (long: Management) => Promise<Result>,
): Promise<Result> {
  return settings.lend(async () => {
    const long = await openManagement({
      ...settings,
      statementTimeoutMs: LONG_STATEMENT_MS,
      max: 1,
    });
    try {
      return await work(long);
    } finally {
      await long.close();
    }
  });
}

export async function listPartitions(management: Management): Promise<readonly EventPartition[]> {
  const rows = await management.any(sql.type(ListedRecord)`
    select p.partition_name, p.from_at, p.to_at, p.from_id, p.to_id,
      pg_total_relation_size(to_regclass(quote_ident(p.partition_name))) as bytes,
      (
        select count(*)
        from executions e
        where e.id >= p.from_id
          and e.id < p.to_id
      ) as executions
    from event_partitions p
    order by p.from_at`);
  return rows.map((row) => ({
    name: row.partition_name,
    from: row.from_at,
    to: row.to_at,
    fromId: executionIdFromUuid(row.from_id),
    toId: executionIdFromUuid(row.to_id),
    bytes: row.bytes,
    executions: row.executions,
  }));
}

export async function tendPartitions(
  management: Management,
  settings: LentSettings,
  {
    sweepAfterMs,
    shrinkBytesMin = SHRUNK_BYTES_MIN,
  }: Parameters<RetentionStore['tendPartitions']>[0],
): Promise<PartitionRound> {
  const partitions = await management.any(sql.type(PartitionRecord)`
    select p.partition_name, p.from_id, p.to_id,
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
  let round: PartitionRound = NOTHING_DONE;
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
  return withLongStatements(settings, async (long) => {
    for (const partition of partitions) {
      const done = await tendPartition({ management, long, partition, shrinkBytesMin });
      round = addRounds(round, done);
    }
    return round;
  });
}

type Partition = z.infer<typeof PartitionRecord>;

const NOTHING_DONE: PartitionRound = {
  made: 0,
  dropped: 0,
  shrunk: 0,
  sweptEvents: 0,
  postponed: 0,
};

function addRounds(round: PartitionRound, more: PartitionRound): PartitionRound {
  return {
    made: round.made + more.made,
    dropped: round.dropped + more.dropped,
    shrunk: round.shrunk + more.shrunk,
    sweptEvents: round.sweptEvents + more.sweptEvents,
    postponed: round.postponed + more.postponed,
  };
}

/**
 * Dropped if nothing of it stays; otherwise, once due, rewritten if little stays, or else swept.
 */
async function tendPartition(params: {
  readonly management: Management;
  readonly long: Management;
  readonly partition: Partition;
  readonly shrinkBytesMin: number;
}): Promise<PartitionRound> {
  const { management, long, partition, shrinkBytesMin } = params;
  const name = partition.partition_name;
  const [dropped] = await unlessLocked(() =>
    long.any(sql.type(DoneRecord)`select drop_event_partition(${name}) as done`, { writes: true }),
  );
  if (dropped === undefined) return { ...NOTHING_DONE, postponed: 1 };
  if (dropped.done) return { ...NOTHING_DONE, dropped: 1 };
  if (!partition.is_due_for_sweep) return NOTHING_DONE;
  const [shrunk] = await unlessLocked(() =>
    long.any(
      sql.type(DoneRecord)`
        select shrink_event_partition(${name}, ${SHRUNK_EVENTS_MAX}, ${shrinkBytesMin}) as done`,
      { writes: true },
    ),
  );
  if (shrunk === undefined) return { ...NOTHING_DONE, postponed: 1 };
  if (!shrunk.done) return { ...NOTHING_DONE, sweptEvents: await sweep(management, partition) };
  await noteSwept(management, name);
  return { ...NOTHING_DONE, shrunk: 1 };
}

/** Deletes the events of removed executions from a partition in which others stay. */
async function sweep(management: Management, partition: Partition): Promise<number> {
  const { partition_name: name, from_id: fromId, to_id: toId } = partition;
  let events = 0;
  let after: string | null = null;
  for (;;) {
    const rows: readonly z.infer<typeof SweptRecord>[] = await management.any(
      sql.type(SweptRecord)`
      with page as materialized (
        select r.execution_id
        from retired_executions r
        where r.execution_id >= ${fromId}::uuid
          and r.execution_id < ${toId}::uuid
          and (${after}::uuid is null or r.execution_id > ${after}::uuid)
          -- Imported again since.
          and not exists (select from executions e where e.id = r.execution_id)
        order by r.execution_id
        limit ${SWEPT_AT_A_TIME}
      ),
      gone as (
        delete from events v
        where v.execution_id = any(array(select p.execution_id from page p))
          -- Tells which partition it is.
          and v.execution_id >= ${fromId}::uuid
          and v.execution_id < ${toId}::uuid
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
  await noteSwept(management, name);
  return events;
}

async function noteSwept(management: Management, name: string): Promise<void> {
  await management.any(
    sql.type(DoneRecord)`select true as done from note_event_partition_swept(${name})`,
    { writes: true },
  );
}

/** Empty: others use the tables to lock. */
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
