import { setTimeout as delay } from 'node:timers/promises';

import { TABLES } from '../../invariants/as-last-seen.ts';
import type { Dump } from '../../invariants/dump.ts';
import { postgresDumpOf } from '../../invariants/read-postgres-dump.ts';
import { runOnServer } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

/*
 * Everything in a run is less than a day old, and retention removes nothing that young. This part
 * therefore ages a quarter of the families by days, each execution at a separate time. An ended
 * execution no longer changes; the final checks use its state at this time.
 */

export interface Aging {
  /** The aged executions, as they were at that time. */
  readonly seen: Dump;
  /** Schedulers remove nothing more: at any time after it, the run may compare tables. */
  stop(): Promise<void>;
}

const EVERY_MS = 5_000;
const AT_ONCE_MAX = 40;
/** Older than any retention policy of a run keeps. */
const OLDER = `interval '3 days'`;

const CANDIDATES = `
  select e.id::text as id
  from executions e
  where e.status in ('completed', 'failed', 'cancelled')
    -- Sealed by now, if all is well.
    and e.completed_at between now() - interval '1 day' and now() - interval '90 seconds'
    and hashtext(coalesce(e.parent_execution_id, e.id)::text) & 3 = 0
    and not exists (select from timers t where t.execution_id = e.id)
    -- Its row must stay as its document says.
    and not exists (select from imported_executions i where i.execution_id = e.id)
  limit ${AT_ONCE_MAX}`;

/** Brings back the times of executions that have grown old, and that retention has left. */
const YOUNG_AGAIN = `
  update executions e
  set created_at = created_at + ${OLDER}, completed_at = completed_at + ${OLDER}
  where completed_at < now() - interval '1 day'
    and not exists (select from imported_executions i where i.execution_id = e.id)`;
/** A server that was just promoted or demoted may still break connections. */
const ANSWER_MS_MAX = 30_000;

export function growOld(url: string): Aging {
  const seen: { [Table in (typeof TABLES)[number]]: unknown[] } = {
    executions: [],
    events: [],
    work_items: [],
    work_queue: [],
    work_leases: [],
    retry_timers: [],
    timers: [],
    runnable: [],
    recorded_outputs: [],
    dead_letters: [],
    snapshots: [],
    execution_usage: [],
    execution_labels: [],
  };
  const known = new Set<string>();
  const over = new AbortController();

  async function look(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { rows } = await runOnServer(url, postgresDumpOf(ids));
    const { dump } = rows[0] as { readonly dump: Pick<Dump, (typeof TABLES)[number]> };
    for (const table of TABLES) seen[table].push(...(dump[table] ?? []));
    for (const id of ids) known.add(id);
  }

  async function makeOlder(): Promise<void> {
    const { rows } = await runOnServer(url, CANDIDATES);
    const ids = (rows as { readonly id: string }[]).map(({ id }) => id);
    if (ids.length === 0) return;
    // The dump already has those whose update failed the last time.
    await look(ids.filter((id) => !known.has(id)));
    const these = ids.map((id) => `'${id}'`).join();
    await runOnServer(
      url,
      `update executions
       set created_at = created_at - ${OLDER}, completed_at = completed_at - ${OLDER}
       where id in (${these})`,
    );
  }

  async function goOn(): Promise<void> {
    while (!over.signal.aborted) {
      await delay(EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
      // The server may be down.
      await makeOlder().catch(() => undefined);
    }
  }

  const aging = goOn();
  return {
    seen: { ...NOTHING, ...(seen as unknown as Pick<Dump, (typeof TABLES)[number]>) },
    stop: async () => {
      over.abort();
      await aging;
      await eventually(() => runOnServer(url, YOUNG_AGAIN), { withinMs: ANSWER_MS_MAX });
    },
  };
}

const NOTHING = {
  takenAt: 0,
  request_keys: [],
  tenants: [],
  tokens: [],
  definitions: [],
  audit_log: [],
};
