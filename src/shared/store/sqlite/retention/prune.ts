import { pruneUploads } from '../artifacts/prune-uploads.ts';
import { REQUEST_KEY_MS } from '../commit/judge.ts';
import type { Connection } from '../connection/connect.ts';
import { DECIDED_MS } from '../../readings/approvals.ts';
import { DELIVERY_LOG_MS } from '../../webhooks.ts';
import { WORKER_SILENCE_MS_MAX } from '../work/workers.ts';

/** Deletes what no reading shows any more; returns the number of rows. */
export async function prune(connection: Connection): Promise<number> {
  const rows = await connection.write(() => {
    const now = connection.now();
    const workers = connection.run('delete from workers where last_heartbeat <= :silent_since', {
      silent_since: now - WORKER_SILENCE_MS_MAX,
    });
    const keys = connection.run('delete from request_keys where created_at <= :expired_since', {
      expired_since: now - REQUEST_KEY_MS,
    });
    const deliveries = connection.run(
      `delete from webhook_deliveries
       where status <> 'pending' and ended_at <= :ended_since`,
      { ended_since: now - DELIVERY_LOG_MS },
    );
    const trees = connection.run(
      `delete from execution_trees
       where not exists (
         select 1
         from executions e
         where e.id = execution_trees.root_execution_id and e.status in ('running', 'paused')
       )`,
    );
    const places = connection.run(
      `delete from child_places
       where not exists (
         select 1
         from executions e
         where e.id = child_places.execution_id and e.status in ('running', 'paused')
       )`,
    );
    const flow = connection.run(
      `delete from flow_places
       where not exists (
         select 1
         from executions e
         where e.id = flow_places.execution_id and e.status in ('running', 'paused')
       )`,
    );
    const quotaPlaces = connection.run(
      `delete from quota_places
       where not exists (
         select 1
         from executions e
         where e.id = quota_places.execution_id and e.status in ('running', 'paused')
       )`,
    );
    const buckets = connection.run('delete from quota_buckets where full_at_us < ?', [now * 1_000]);
    const approvals = connection.run(
      `delete from approvals
       where decided_at <= :decided_since
         or (
           decided_at is null
           and not exists (
             select 1
             from executions e
             where e.id = approvals.execution_id and e.status in ('running', 'paused')
           )
         )`,
      { decided_since: now - DECIDED_MS },
    );
    return workers + keys + deliveries + trees + places + flow + quotaPlaces + buckets + approvals;
  });
  return rows + (await pruneUploads(connection));
}
