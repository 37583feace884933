import { setTimeout as delay } from 'node:timers/promises';

import { runOnServer } from '../../support/database.ts';

const LOOK_EVERY_MS = 500;
/** Locks of the service: the session that holds one is the only scheduler with that duty. */
const HOLDERS = `
  select l.classid::text || '/' || l.objid::text as duty, l.pid
  from pg_locks l
  join pg_stat_activity a using (pid)
  where l.locktype = 'advisory'
    and l.granted
    and l.mode = 'ExclusiveLock'
    and a.usename = 'svc'`;

export interface DutyWatch {
  /** The number of times that a scheduler lock was seen to move to another session. */
  changes(): number;
  stop(): Promise<void>;
}

/** Counts how often shards and duties move to another scheduler. */
export function watchDuties(url: string): DutyWatch {
  const holders = new Map<string, number>();
  const over = new AbortController();
  let changes = 0;

  async function look(): Promise<void> {
    while (!over.signal.aborted) {
      const { rows } = await runOnServer(url, HOLDERS).catch(() => ({ rows: [] }));
      for (const { duty, pid } of rows as { readonly duty: string; readonly pid: number }[]) {
        const before = holders.get(duty);
        if (before !== undefined && before !== pid) changes += 1;
        holders.set(duty, pid);
      }
      await delay(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  }

  const looking = look();
  return {
    changes: () => changes,
    stop: async () => {
      over.abort();
      await looking;
    },
  };
}
