import type { WaitingWork } from '../../scheduling.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { SELECT_NEXT_DUE } from './timers.ts';

export async function lookAround(pool: PostgresPool): Promise<WaitingWork> {
  const [row] = await pool.run<WaitingRecord>(LOOK_AROUND, []);
  return {
    executions: row?.executions ?? false,
    engineItems: row?.engine_items ?? false,
    overdueItems: row?.overdue_items ?? false,
    lapsedLeases: row?.lapsed_leases ?? false,
    nextDueInMs: row?.due_in_ms ?? null,
  };
}

interface WaitingRecord {
  readonly executions: boolean;
  readonly engine_items: boolean;
  readonly overdue_items: boolean;
  readonly lapsed_leases: boolean;
  readonly due_in_ms: number | null;
}

/** Each part reads the first row of an index. */
const LOOK_AROUND: Statement = {
  name: 'look-around',
  writes: false,
  text: `
    select exists (select from runnable) as executions,
      exists (select from work_queue q where q.queue_key = 'engine') as engine_items,
      exists (
        select
        from work_queue q
        where q.start_before <= (select clock_timestamp())
      ) as overdue_items,
      exists (
        select
        from leases l
        where l.look_at <= (select clock_timestamp())
      )
        or exists (
          select
          from only work_leases l
          where l.expires_at <= (select clock_timestamp())
        ) as lapsed_leases,
      d.due_in_ms
    from (${SELECT_NEXT_DUE}
    ) d`,
};
