import { sql } from 'slonik';
import { z } from 'zod';

import { executionIdFromUuid, type ExecutionId } from '../../../domain/ids.ts';
import type { MeasuredExecution } from '../../retention.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';

const MeasuredRecord = z.object({ id: z.string(), bytes: z.int() });

/** Size of a row with its header, its short columns and its entry in the primary key. */
const ROW_BYTES = 150;

/**
 * The size of these executions in the tables from which retention removes them. Values that are
 * stored separately or compressed count with their stored size.
 */
export async function measure(
  management: Management,
  executionIds: readonly ExecutionId[],
): Promise<readonly MeasuredExecution[]> {
  const rows = await management.any(sql.type(MeasuredRecord)`
    select e.id, (${ROW_BYTES}::int8 + (
        select coalesce(sum(${ROW_BYTES}::int8 + pg_column_size(v.payload)), 0)
        from events v
        where v.execution_id = e.id
      ) + (
        select coalesce(sum(${ROW_BYTES}::int8 + pg_column_size(s.body)), 0)
        from snapshots s
        where s.execution_id = e.id
      ) + (
        select coalesce(sum(${ROW_BYTES}::int8 + coalesce(pg_column_size(r.output), 0)), 0)
        from recorded_outputs r
        where r.execution_id = e.id
      ) + (
        select coalesce(sum(${ROW_BYTES}::int8 + pg_column_size(i.payload)), 0)
        from work_items i
        where i.work_item_id in (
          select (v.payload ->> 'work_item_id')::uuid
          from events v
          where v.execution_id = e.id
            and v.kind in ('NodeScheduled', 'NodeResumed', 'RetryScheduled')
        )
      ))::int8 as bytes
    from executions e
    where e.id = any(${sql.array(executionIds.map(toUuid), 'uuid')})`);
  return rows.map(({ id, bytes }) => ({ executionId: executionIdFromUuid(id), bytes }));
}
