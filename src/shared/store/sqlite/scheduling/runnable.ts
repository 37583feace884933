import type { ExecutionId } from '../../../domain/ids.ts';
import type { RunnableStore, WaitingWork } from '../../scheduling.ts';
import type { Connection } from '../connection/connect.ts';
import { TENANT_IS_ACTIVE } from '../rows.ts';
import { nextDueInMs } from './timers.ts';

export function createRunnableStore(connection: Connection): RunnableStore {
  return {
    list: ({ shards, limit }) =>
      connection.read(() =>
        connection.all<{ readonly executionId: ExecutionId; readonly shard: number }>(
          `select execution_id as executionId, shard
           from runnable
           where shard in (select value from json_each(:shards))
             and not exists (
               select 1
               from child_places c
               where c.execution_id = runnable.execution_id and c.state = 'waiting'
             )
             and not exists (
               select 1 from flow_waits w where w.execution_id = runnable.execution_id
             )
             and (
               not exists (select 1 from tenants where status <> 'active')
               or (
                 select ${TENANT_IS_ACTIVE}
                 from executions
                 where id = runnable.execution_id
               )
             )
           order by seq
           limit :limit`,
          { shards: JSON.stringify(shards), limit },
        ),
      ),
    lookAround: () => connection.read(() => lookAround(connection)),
  };
}

function lookAround(connection: Connection): WaitingWork {
  const found = connection.get<Record<'executions' | 'items' | 'overdue' | 'lapsed', number>>(
    `select exists (select 1 from runnable) as executions,
       exists (select 1 from work_queue where queue_key = 'engine') as items,
       exists (select 1 from work_queue where start_before <= :now) as overdue,
       exists (select 1 from work_leases where expires_at <= :now) as lapsed`,
    { now: connection.now() },
  );
  return {
    executions: found?.executions === 1,
    engineItems: found?.items === 1,
    overdueItems: found?.overdue === 1,
    lapsedLeases: found?.lapsed === 1,
    nextDueInMs: nextDueInMs(connection),
  };
}
