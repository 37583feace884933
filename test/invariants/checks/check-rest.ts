import type { Dump } from '../dump.ts';
import { byExecution } from './check-histories.ts';
import { violations, type Violation } from '../violation.ts';

/** Without faults, every execution ends. */
export function checkRest(dumps: readonly Dump[], wellSince: number): Violation[] {
  const last = dumps.at(-1);
  if (last === undefined) return [];
  return [...checkEnds(last), ...dumps.flatMap((dump) => checkAbandoned(dump, wellSince))];
}

/**
 * Time for another process to take over the duty, for the repetition of a failed round, and one
 * second of reserve.
 */
export const RECLAIM_MS_MAX = 2_000 + 5_000 + 1_000;

function checkAbandoned(dump: Dump, wellSince: number): Violation[] {
  return violations(
    'an item whose worker is gone can soon be claimed by another',
    dump.work_leases,
    (lease) => {
      const lateMs = dump.takenAt - Math.max(lease.expires_at, wellSince);
      if (lateMs <= RECLAIM_MS_MAX) return null;
      return {
        about: { execution: lease.execution_id, work_item: lease.work_item_id },
        saw: `leased ${lateMs} ms after its lease had lapsed`,
      };
    },
  );
}

function checkEnds(dump: Dump): Violation[] {
  const events = byExecution(dump);
  const held = new Map<string, string[]>();
  for (const [place, rows] of Object.entries({
    queue: dump.work_queue,
    lease: dump.work_leases,
    retry: dump.retry_timers,
    timer: dump.timers,
    mark: dump.runnable,
    'wait for a place': [...(dump.child_places ?? []), ...(dump.flow_waits ?? [])],
  })) {
    for (const row of rows) {
      held.set(row.execution_id, [...(held.get(row.execution_id) ?? []), place]);
    }
  }
  return dump.executions
    .filter(({ status }) => status === 'running' || status === 'paused')
    .map(({ id, status, workflow_id: workflow }) => ({
      rule: 'without faults, every execution ends',
      about: { execution: id, workflow },
      saw: `${status}, holding ${(held.get(id) ?? ['nothing']).join(', ')}; last ${
        events.get(id)?.at(-1)?.kind ?? 'no event'
      }`,
    }));
}
