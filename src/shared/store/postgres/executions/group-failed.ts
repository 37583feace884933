import type { GroupFailedExecutions } from '../../executions.ts';
import type { GroupedFailures } from '../../readings/failures.ts';
import { type AlikeRecord, withOneMore } from '../../rows/gather-alike.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { gatherRecords, writeAlike } from './write-alike.ts';
import { COMPARED_COLUMNS, unnamed } from './write-drive.ts';
import { writeSearch } from './write-search.ts';

export async function groupFailedExecutions(
  readers: PostgresPool,
  { grouping, ...given }: GroupFailedExecutions,
): Promise<GroupedFailures> {
  const params = withOneMore(given);
  const search = { ...params, cursor: null };
  const { text, values, bind, bound } = await writeSearch(readers, search, COLUMNS);
  const grouped = unnamed(writeAlike(text, grouping, bind));
  const records = await readers.run<AlikeRecord<string>>(grouped, values, params.tenantId);
  const { groups, isExact } = gatherRecords(records, params.limit);
  return { groups, isExact: isExact && bound === null };
}

const COLUMNS = {
  found: `${COMPARED_COLUMNS}, e.updated_at, e.cause_key, e.error_node_id`,
  columns: `e.definition_id, e.workflow_id, e.cause_key, e.error_node_id as node_id, null::text as tool,
      null::text as queue, e.id as execution_id, null::uuid as work_item_id, coalesce(e.error, '') as error,
      coalesce(e.completed_at, e.updated_at) as failed_at, false as is_live`,
  // With a label, few executions have failed.
  whole: true,
};
