import type { WorkItemId } from '../../../domain/ids.ts';
import type { GroupedFailures } from '../../readings/failures.ts';
import type { GroupFailedItems } from '../../readings/work-overview.ts';
import { type AlikeRecord, withOneMore } from '../../rows/gather-alike.ts';
import { itemsWithin, restrictsNothing, splitOffWorkflow } from '../../rows/split-criteria.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import { gatherRecords, writeAlike } from '../executions/write-alike.ts';
import { writeCriteria } from '../executions/write-criteria.ts';
import { all } from '../executions/write-drive.ts';

/** The bound is read first, so that the list contains all that fits up to the bound. */
export function groupFailedItems(connection: Connection, given: GroupFailedItems): GroupedFailures {
  const params = withOneMore(given);
  const { rest } = splitOffWorkflow(params.criteria);
  const bound = restrictsNothing(rest) ? null : findBound(connection, params);
  const listed = writeFailedItems(params, bound);
  const alike = writeAlike(listed.text, params.grouping);
  const bindings = { ...listed.bindings, ...alike.bindings };
  const records = all<AlikeRecord<number>>(connection, alike.text, bindings);
  const { groups, isExact } = gatherRecords(records, params.limit);
  return { groups, isExact: isExact && bound === null };
}

interface Bound {
  readonly dead_lettered_at: number;
  readonly work_item_id: WorkItemId;
}

interface Written {
  readonly text: string;
  readonly bindings: Readonly<Record<string, Bindable>>;
}

/** The last dead letter that is looked through; null: there are no more than that. */
function findBound(connection: Connection, params: GroupFailedItems): Bound | null {
  const { text, bindings } = writeBound(params);
  return all<Bound>(connection, text, bindings)[0] ?? null;
}

/** Exported for a test of its plan. */
export function writeBound(params: GroupFailedItems): Written {
  return {
    text: `
      select d.dead_lettered_at, d.work_item_id
      from ${writeSource(params)}
      where ${writeWindow(params)}
      order by d.dead_lettered_at desc, d.work_item_id desc
      limit 1 offset :skip`,
    bindings: { ...bindWindow(params), skip: itemsWithin(params) - 1 },
  };
}

/**
 * Exported for a test of its plan. A cross join keeps its order, and with it that of the index. The error
 * and the labels of a dead letter are compared before its execution is read.
 */
export function writeFailedItems(params: GroupFailedItems, bound: Bound | null): Written {
  const { condition, bindings } = writeCriteria(
    'c_',
    splitOffWorkflow(params.criteria).rest,
    'e.execution_id',
  );
  const place = '(d.dead_lettered_at, d.work_item_id) >= (:bound_at, :bound_item)';
  return {
    text: `
      select e.definition_id, e.workflow_id, e.cause_key, e.node_id, e.tool, e.queue, e.execution_id,
        e.work_item_id, e.error, e.dead_lettered_at as failed_at, e.status in ('running', 'paused') as is_live
      from (
        select d.work_item_id, d.node_id, d.tool, d.queue, d.error, d.error_class, d.cause_key,
          d.dead_lettered_at, d.execution_id, x.id, x.definition_id, x.workflow_id, x.workflow_version,
          x.parent_execution_id, x.status, x.created_at, x.completed_at
        from ${writeSource(params)}
        cross join executions x on x.id = d.execution_id
        where ${writeWindow(params)} and ${bound === null ? 'true' : place}
      ) e
      where ${condition}
      order by e.dead_lettered_at desc, e.work_item_id desc
      limit :limit`,
    bindings: {
      ...bindWindow(params),
      ...bindings,
      ...(bound !== null && { bound_at: bound.dead_lettered_at, bound_item: bound.work_item_id }),
      limit: params.limit,
    },
  };
}

/** Without statistics, SQLite takes the index of all workflows for as good. */
function writeSource({ criteria }: GroupFailedItems): string {
  const { workflowId } = splitOffWorkflow(criteria);
  return workflowId === null
    ? 'dead_letters d'
    : 'dead_letters d indexed by dead_letters_by_workflow';
}

function writeWindow({ criteria, before }: GroupFailedItems): string {
  const { workflowId } = splitOffWorkflow(criteria);
  return [
    'd.tenant_id = :tenant_id',
    ...(workflowId === null ? [] : ['d.workflow_id = :of_workflow']),
    'd.dead_lettered_at >= :since',
    ...(before === null ? [] : ['d.dead_lettered_at < :before']),
  ].join(' and ');
}

function bindWindow({ tenantId, criteria, since, before }: GroupFailedItems): Written['bindings'] {
  const { workflowId } = splitOffWorkflow(criteria);
  return {
    tenant_id: tenantId,
    since: Date.parse(since),
    ...(workflowId !== null && { of_workflow: workflowId }),
    ...(before !== null && { before: Date.parse(before) }),
  };
}
