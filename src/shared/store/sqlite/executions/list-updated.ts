import type { ListUpdated, UpdatedPage } from '../../executions.ts';
import type { Connection } from '../connection/connect.ts';
import { decodeExecution, EXECUTION_COLUMNS, type ExecutionRecord } from '../rows.ts';

/** When an execution was updated stands in no index, so no more than its newest are looked through. */
export function listUpdated(connection: Connection, params: ListUpdated): UpdatedPage {
  const { cursor, updatedAfter } = params;
  const rows = connection.all<PageRecord>(LIST, {
    tenant_id: params.tenantId,
    workflow_id: params.workflowId,
    within: params.within,
    status: params.status,
    updated_after: updatedAfter === null ? null : Date.parse(updatedAfter),
    context_id: params.contextId,
    cursor_at: cursor === null ? null : Date.parse(cursor.updatedAt),
    cursor_id: cursor?.executionId ?? null,
    limit: params.limit,
  });
  return {
    rows: rows.flatMap((row) => (row.id === null ? [] : [decodeExecution(row)])),
    total: rows[0]?.total ?? 0,
  };
}

type PageRecord = { readonly total: number } & (ExecutionRecord | { readonly id: null });

/** The count stands in a row of its own on the left, so that a page without rows has it too. */
const LIST = `
  with newest as materialized (
    select *, coalesce(completed_at, updated_at) as at
    from executions
    where tenant_id = :tenant_id and workflow_id = :workflow_id
    order by created_at desc, id desc
    limit :within
  ),
  fitting as (
    select e.*
    from newest e
    where (:status is null or e.status = :status)
      and (:updated_after is null or e.at >= :updated_after)
      and (:context_id is null or exists (
        select 1
        from events v
        where v.execution_id = e.id
          and v.sequence = 1
          and case
            when json_type(v.payload, '$.input.message.messageId') = 'text'
              and json_type(v.payload, '$.input.message.contextId') = 'text'
              and json_extract(v.payload, '$.input.message.contextId') <> ''
            then json_extract(v.payload, '$.input.message.contextId') = :context_id
            else e.id = :context_id
          end
      ))
  ),
  page as (
    select *
    from fitting
    where :cursor_at is null or (at, id) < (:cursor_at, :cursor_id)
    order by at desc, id desc
    limit :limit
  )
  select c.total, ${EXECUTION_COLUMNS}
  from (select count(*) as total from fitting) c
  left join page on true
  order by at desc, id desc`;
