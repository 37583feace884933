import type { WorkItemId } from '../../../domain/ids.ts';
import type { GroupedFailures } from '../../readings/failures.ts';
import type { GroupFailedItems } from '../../readings/work-overview.ts';
import { type AlikeRecord, withOneMore } from '../../rows/gather-alike.ts';
import { itemsWithin, restrictsNothing, splitOffWorkflow } from '../../rows/split-criteria.ts';
import type { PostgresPool } from '../connection/connect.ts';
import { gatherRecords, writeAlike } from '../executions/write-alike.ts';
import { type Bind, writeCriteria, writeCriteriaOfItem } from '../executions/write-criteria.ts';
import { createBinds, unnamed } from '../executions/write-drive.ts';

/** The bound is read first, so that the list contains all that fits up to the bound. */
export async function groupFailedItems(
  readers: PostgresPool,
  given: GroupFailedItems,
): Promise<GroupedFailures> {
  const params = withOneMore(given);
  const { tenantId, criteria, limit, grouping } = params;
  const { rest } = splitOffWorkflow(criteria);
  const bound = restrictsNothing(rest) ? null : await findBound(readers, params);
  const { values, bind } = createBinds();
  // The offset and the limit keep the join as it is written: the server walks along the list, and compares each.
  const listed = `
    select e.definition_id, e.workflow_id, d.cause_key, d.node_id, d.tool, d.queue, d.execution_id,
      d.work_item_id, d.error, d.dead_lettered_at as failed_at, e.status in ('running', 'paused') as is_live
    from (
      select d.*
      from dead_letters d
      where ${writeWindow(params, bind)}
        and ${writeBound(bound, bind)}
        and ${writeCriteriaOfItem(rest, bind)}
      order by d.dead_lettered_at desc, d.work_item_id desc
      offset 0
    ) d
    cross join lateral (
      select x.id, x.definition_id, x.workflow_id, x.workflow_version, x.parent_execution_id,
        x.status, x.created_at, x.completed_at, d.error, d.error_class
      from executions x
      where x.id = d.execution_id
      limit 1
    ) e
    where ${writeCriteria({ ...rest, labels: [] }, bind)}
    order by d.dead_lettered_at desc, d.work_item_id desc
    limit ${bind(limit)}::int4`;
  const text = unnamed(writeAlike(listed, grouping, bind));
  const records = await readers.run<AlikeRecord<string>>(text, values, tenantId);
  const { groups, isExact } = gatherRecords(records, params.limit);
  return { groups, isExact: isExact && bound === null };
}

interface Bound {
  readonly dead_lettered_at: string;
  readonly work_item_id: WorkItemId;
}

/** The last dead letter that is looked through; null: there are no more than that. */
async function findBound(readers: PostgresPool, params: GroupFailedItems): Promise<Bound | null> {
  const { values, bind } = createBinds();
  const text = `
    select d.dead_lettered_at, d.work_item_id
    from dead_letters d
    where ${writeWindow(params, bind)}
    order by d.dead_lettered_at desc, d.work_item_id desc
    offset ${bind(itemsWithin(params) - 1)}::int4
    limit 1`;
  const [row] = await readers.run<Bound>(unnamed(text), values, params.tenantId);
  return row ?? null;
}

function writeWindow({ tenantId, criteria, since, before }: GroupFailedItems, bind: Bind): string {
  const { workflowId } = splitOffWorkflow(criteria);
  return [
    `d.tenant_id = ${bind(tenantId)}::text`,
    ...(workflowId === null ? [] : [`d.workflow_id = ${bind(workflowId)}::text`]),
    `d.dead_lettered_at >= ${bind(since)}::timestamptz`,
    ...(before === null ? [] : [`d.dead_lettered_at < ${bind(before)}::timestamptz`]),
  ].join('\n      and ');
}

function writeBound(bound: Bound | null, bind: Bind): string {
  if (bound === null) return 'true';
  const place = `(${bind(bound.dead_lettered_at)}::timestamptz, ${bind(bound.work_item_id)}::uuid)`;
  return `(d.dead_lettered_at, d.work_item_id) >= ${place}`;
}
