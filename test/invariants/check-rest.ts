import type { Dump } from './dump.ts';
import { byExecution } from './check-histories.ts';
import type { Violation } from './violation.ts';

/** Once all are well, every execution ends, or waits for something that can be named. */
export function checkRest(dump: Dump): Violation[] {
  const events = byExecution(dump);
  const held = new Map<string, string[]>();
  for (const [place, rows] of Object.entries({
    queue: dump.work_queue,
    lease: dump.work_leases,
    retry: dump.retry_timers,
    timer: dump.timers,
    mark: dump.runnable,
  })) {
    for (const row of rows) {
      held.set(row.execution_id, [...(held.get(row.execution_id) ?? []), place]);
    }
  }
  return dump.executions
    .filter(({ status }) => status === 'running' || status === 'paused')
    .map(({ id, status, workflow_id: workflow }) => ({
      rule: 'with everybody well and willing, every execution ends',
      about: { execution: id, workflow },
      saw: `${status}, holding ${(held.get(id) ?? ['nothing']).join(', ')}; last ${
        events.get(id)?.at(-1)?.kind ?? 'no event'
      }`,
    }));
}
