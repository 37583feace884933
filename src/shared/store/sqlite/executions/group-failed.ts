import type { GroupFailedExecutions } from '../../executions.ts';
import type { GroupedFailures } from '../../readings/failures.ts';
import { type AlikeRecord, withOneMore } from '../../rows/gather-alike.ts';
import type { Connection } from '../connection/connect.ts';
import { gatherRecords, writeAlike } from './write-alike.ts';
import { all, COMPARED_COLUMNS } from './write-drive.ts';
import { writeSearch } from './write-search.ts';

export function groupFailedExecutions(
  connection: Connection,
  { grouping, ...given }: GroupFailedExecutions,
): GroupedFailures {
  const params = withOneMore(given);
  const search = writeSearch(connection, { ...params, cursor: null }, COLUMNS);
  const alike = writeAlike(search.text, grouping);
  const bindings = { ...search.bindings, ...alike.bindings };
  const records = all<AlikeRecord<number>>(connection, alike.text, bindings);
  const { groups, isExact } = gatherRecords(records, params.limit);
  return { groups, isExact: isExact && search.bound === null };
}

const COLUMNS = {
  found: `${COMPARED_COLUMNS}, updated_at, cause_key, error_node_id`,
  columns: `definition_id, workflow_id, cause_key, error_node_id as node_id, null as tool, null as queue,
       id as execution_id, null as work_item_id, coalesce(error, '') as error,
       coalesce(completed_at, updated_at) as failed_at, false as is_live`,
};
