import type { ExecutionId } from '../../../domain/ids.ts';
import type { MeasuredExecution } from '../../retention.ts';
import type { Connection } from '../connection/connect.ts';

/** Size of a row with its index entries, without its texts. */
const ROW_BYTES = 150;

/** The size of these executions in the tables from which retention removes them. */
export function measure(
  connection: Connection,
  executionIds: readonly ExecutionId[],
): readonly MeasuredExecution[] {
  return connection
    .all<{ readonly id: ExecutionId; readonly bytes: number }>(
      `select e.id, :row_bytes + (
           select coalesce(sum(:row_bytes + length(v.payload)), 0)
           from events as v
           where v.execution_id = e.id
         ) + (
           select coalesce(sum(:row_bytes + length(s.body)), 0)
           from snapshots as s
           where s.execution_id = e.id
         ) + (
           select coalesce(sum(:row_bytes + coalesce(length(r.output), 0)), 0)
           from recorded_outputs as r
           where r.execution_id = e.id
         ) + (
           select coalesce(sum(:row_bytes + length(i.payload)), 0)
           from work_items as i
           where i.work_item_id in (
             select v.payload ->> 'work_item_id'
             from events as v
             where v.execution_id = e.id
               and v.kind in ('NodeScheduled', 'NodeResumed', 'RetryScheduled')
           )
         ) as bytes
       from executions as e
       where e.id in (select value from json_each(:ids))`,
      { ids: JSON.stringify(executionIds), row_bytes: ROW_BYTES },
    )
    .map(({ id, bytes }) => ({ executionId: id, bytes }));
}
