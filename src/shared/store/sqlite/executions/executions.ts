import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type {
  EventsAfter,
  EventsBetween,
  ExecutionRow,
  ExecutionStore,
  ListedRow,
  ListExecutions,
  LiveChildOf,
  LoadedExecution,
} from '../../executions.ts';
import { commitPlans } from '../commit/commit.ts';
import type { Bindable, Connection } from '../connection/connect.ts';
import { readDocumentHead, readExecutionDocument } from './execution-document.ts';
import { listUpdated } from './list-updated.ts';
import {
  EXECUTION_COLUMNS,
  FOUND_COLUMNS,
  LISTED_COLUMNS,
  decodeEvent,
  decodeExecution,
  decodeListed,
  type EventRecord,
  type ExecutionRecord,
  type ListedRecord,
} from '../rows.ts';
import { readUsage } from '../commit/usage.ts';
import { findStandingPause } from '../workflows/workflow-pauses.ts';

export function createExecutionStore(connection: Connection): ExecutionStore {
  return {
    commit: (plans) => commitPlans(connection, plans),
    find: (id, tenantId) => connection.read(() => findExecution(connection, id, tenantId)),
    hasEnded: (id) => connection.read(() => hasEnded(connection, id)),
    load: (id, tenantId) => connection.read(() => loadExecution(connection, id, tenantId)),
    document: (id, tenantId) =>
      connection.read(() => readExecutionDocument(connection, id, tenantId)),
    documentHead: (id, tenantId) =>
      connection.read(() => readDocumentHead(connection, id, tenantId)),
    events: (range) => connection.read(() => selectEvents(connection, range)),
    eventsBetween: (range) => connection.read(() => selectEventsBetween(connection, range)),
    usage: (id) => connection.read(() => readUsage(connection, id)),
    list: (filter) => connection.read(() => listExecutions(connection, filter)),
    findLiveChild: (of) => connection.read(() => findLiveChild(connection, of)),
    listUpdated: (params) => connection.read(() => listUpdated(connection, params)),
  };
}

function findExecution(
  connection: Connection,
  id: ExecutionId,
  tenantId: TenantId | null,
): ExecutionRow | null {
  const row = connection.get<ExecutionRecord>(
    `select ${EXECUTION_COLUMNS}
     from executions
     where id = :id and (:tenant_id is null or tenant_id = :tenant_id)`,
    { id, tenant_id: tenantId },
  );
  return row === undefined ? null : decodeExecution(row);
}

function hasEnded(connection: Connection, id: ExecutionId): boolean {
  const row = connection.get(
    `select 1
     from executions
     where id = :id and status in ('completed', 'failed', 'cancelled')`,
    { id },
  );
  return row !== undefined;
}

function findLiveChild(
  connection: Connection,
  { tenantId, parents }: LiveChildOf,
): ExecutionId | null {
  const child = connection.get<{ readonly id: ExecutionId }>(
    `select e.id
     from json_each(:parents) p
     cross join executions e indexed by executions_by_parent
     where e.parent_execution_id = p.value
       and e.tenant_id = :tenant_id
       and e.status in ('running', 'paused')
     limit 1`,
    { parents: JSON.stringify(parents), tenant_id: tenantId },
  );
  return child?.id ?? null;
}

function loadExecution(
  connection: Connection,
  id: ExecutionId,
  tenantId: TenantId | null,
): LoadedExecution | null {
  const row = findExecution(connection, id, tenantId);
  if (row === null) return null;
  const snapshot = connection.get<{ readonly sequence: number; readonly body: string }>(
    'select sequence, body from snapshots where execution_id = :id',
    { id },
  );
  const after = snapshot?.sequence ?? 0;
  const events = selectEvents(connection, { executionId: id, after, limit: null });
  const workflowPause = findStandingPause(connection, row);
  return { row, snapshot: snapshot ?? null, events, workflowPause };
}

function selectEvents(connection: Connection, range: EventsAfter) {
  return connection
    .all<EventRecord>(
      `select sequence, kind, node_id, payload, actor_id, created_at
       from events
       where execution_id = :execution_id and sequence > :after
       order by sequence
       limit :limit`,
      // To SQLite a negative limit is none.
      { execution_id: range.executionId, after: range.after, limit: range.limit ?? -1 },
    )
    .map(decodeEvent);
}

function selectEventsBetween(connection: Connection, range: EventsBetween) {
  const { executionId, after, before, kinds, order, limit } = range;
  return connection
    .all<EventRecord>(
      `select sequence, kind, node_id, payload, actor_id, created_at
       from events
       where execution_id = :execution_id
         and sequence > :after
         and sequence < :before
         and (:kinds is null or kind in (select value from json_each(:kinds)))
       order by sequence ${order}
       limit :limit`,
      {
        execution_id: executionId,
        after,
        before: before ?? Number.MAX_SAFE_INTEGER,
        kinds: kinds && JSON.stringify(kinds),
        limit: limit ?? -1,
      },
    )
    .map(decodeEvent);
}

/** The text varies with the filters in use, so that each combination finds its index. */
function listExecutions(connection: Connection, filter: ListExecutions): readonly ListedRow[] {
  const conditions = ['tenant_id = :tenant_id'];
  const bindings: Record<string, Bindable> = {
    tenant_id: filter.tenantId,
    limit: filter.limit,
    offset: filter.offset,
  };
  if (filter.status !== null) {
    conditions.push('status = :status');
    bindings['status'] = filter.status;
  }
  if (filter.workflowId !== null) {
    conditions.push('workflow_id = :workflow_id');
    bindings['workflow_id'] = filter.workflowId;
  }
  const parentId = filter.parentExecutionId ?? null;
  if (parentId !== null) {
    conditions.push('parent_execution_id = :parent_execution_id');
    bindings['parent_execution_id'] = parentId;
  }
  if (filter.createdAfter !== null) {
    conditions.push('created_at >= :created_after');
    bindings['created_after'] = Date.parse(filter.createdAfter);
  }
  if (filter.createdBefore !== null) {
    conditions.push('created_at < :created_before');
    bindings['created_before'] = Date.parse(filter.createdBefore);
  }
  if (filter.cursor !== null) {
    conditions.push('(created_at, id) < (:cursor_created_at, :cursor_id)');
    bindings['cursor_created_at'] = Date.parse(filter.cursor.createdAt);
    bindings['cursor_id'] = filter.cursor.executionId;
  }
  return connection
    .all<ListedRecord>(
      `select ${LISTED_COLUMNS}
       from (
         select ${FOUND_COLUMNS}
         from executions
         where ${conditions.join(' and ')}
         order by created_at desc, id desc
         limit :limit offset :offset
       ) e
       order by created_at desc, id desc`,
      bindings,
    )
    .map(decodeListed);
}
