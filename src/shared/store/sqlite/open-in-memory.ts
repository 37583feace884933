import Database from 'better-sqlite3';

import { IN_MEMORY } from '../../config/database-url.ts';
import { readMigrations } from '../opening/migrations.ts';
import type { Store } from '../store.ts';
import { connectTo, type Clock } from './connection/connect.ts';
import { migrateOpen } from './connection/migrator.ts';
import { createSqliteStore } from './open.ts';

/** The open work in a store in memory. */
export interface Agenda {
  /** Grows with each row that is written or removed. */
  readonly changes: number;
  /** Executions that the scheduler has to look at. */
  readonly runnable: number;
  /** Work items that are leased, or queued for a worker that serves them. */
  readonly underWay: number;
  /** When the next timer, retry, schedule or lease is due, in Unix milliseconds; null: nothing is. */
  readonly dueAt: number | null;
}

/** A store that is gone when it is closed, for what nobody reads afterwards. */
export async function openInMemoryStore(): Promise<Store> {
  return (await openObservedStore()).store;
}

/** The same, on a clock of the caller's, who may also ask what is left to do. */
export async function openObservedStore(
  params: { readonly clock?: Clock } = {},
): Promise<{ readonly store: Store; readonly agenda: () => Agenda }> {
  const database = new Database(await readImage());
  database.pragma('foreign_keys = on');
  const store = createSqliteStore(connectTo(database, { path: IN_MEMORY, ...params }));
  if (params.clock !== undefined) keepSilentWorkers(database, params.clock);
  const read = database.prepare<[], Agenda>(AGENDA);
  return {
    store,
    agenda: () => read.get() ?? { changes: 0, runnable: 0, underWay: 0, dueAt: null },
  };
}

/**
 * A clock that skips makes every worker silent for as long, and the runtime forgets silent workers. Then
 * an item would seem to be for nobody until its worker claims again. A worker that stops is forgotten.
 */
function keepSilentWorkers(database: Database.Database, clock: Clock): void {
  database.function('now_of_test', () => clock());
  database.exec(`
    create temp trigger keep_silent_workers before delete on main.workers
    when old.last_heartbeat <= now_of_test() - ${SILENT_MS}
    begin
      select raise(ignore);
    end`);
}

const SILENT_MS = 60_000;

/**
 * An empty database of the current schema. Migrations take 30 ms of processor time, so a process
 * applies them once: a test opens a runtime for each of its cases.
 */
function readImage(): Promise<Buffer> {
  image ??= makeImage();
  return image;
}

let image: Promise<Buffer> | null = null;

async function makeImage(): Promise<Buffer> {
  const known = await readMigrations('sqlite');
  const database = new Database(IN_MEMORY);
  try {
    migrateOpen({ database, known, onApplied: () => undefined });
    return database.serialize();
  } finally {
    database.close();
  }
}

const AGENDA = `
  select total_changes() as changes,
    (select count(*) from runnable) as runnable,
    (select count(*) from work_leases) + (
      select count(*) from work_queue as q
      where q.queue_key = 'engine' or exists (
        select 1
        from workers as w
        where w.kind = 'tool'
          and w.tenant_id = q.tenant_id
          and exists (select 1 from json_each(w.queue_types) as t where t.value = q.queue)
          and (w.tools is null
            or exists (select 1 from json_each(w.tools) as t where q.tool glob t.value))
          and exists (
            select 1
            from json_each(coalesce(w.queue_names, '["default"]')) as n
            where n.value = coalesce(q.queue_name, 'default')
          )
      )
    ) as underWay,
    (select min(due_at) from (
      select due_at from timers where left_ms is null
      union all select due_at from retry_timers where held_due_at is null
      union all select due_at from schedules
      union all select next_attempt_at from webhook_deliveries
      union all select start_before from work_queue
      union all select expires_at from work_leases
    )) as dueAt`;
