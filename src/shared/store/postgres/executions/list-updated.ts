import { parseExecutionId } from '../../../domain/ids.ts';
import type { ListUpdated, UpdatedPage } from '../../executions.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { decodeExecution, EXECUTION_COLUMNS, toUuid, type ExecutionRecord } from '../rows.ts';

/** When an execution was updated stands in no index, so no more than its newest are looked through. */
export async function listUpdated(
  readers: PostgresPool,
  params: ListUpdated,
): Promise<UpdatedPage> {
  const { cursor, contextId } = params;
  const ownContext = contextId === null ? null : parseExecutionId(contextId);
  const values = [
    params.tenantId,
    params.workflowId,
    params.within,
    params.status,
    params.updatedAfter,
    contextId,
    ownContext && toUuid(ownContext),
    cursor?.updatedAt ?? null,
    cursor && toUuid(cursor.executionId),
    params.limit,
  ];
  const rows = await readers.run<PageRecord>(LIST, values, params.tenantId);
  return {
    rows: rows.flatMap((row) => (row.id === null ? [] : [decodeExecution(row)])),
    total: rows[0]?.total ?? 0,
  };
}

type PageRecord = { readonly total: number } & (ExecutionRecord | { readonly id: null });

/** The count stands in a row of its own on the left, so that a page without rows has it too. */
const LIST: Statement = {
  name: 'list-updated-executions',
  writes: false,
  text: `
    with newest as materialized (
      select e.*, date_trunc('milliseconds', coalesce(e.completed_at, e.updated_at)) as at
      from executions e
      where e.tenant_id = $1
        and e.workflow_id = $2
      order by e.created_at desc, e.id desc
      limit $3
    ),
    fitting as (
      select e.*
      from newest e
      where ($4::text is null or e.status = $4)
        and ($5::timestamptz is null or e.at >= $5)
        and ($6::text is null or exists (
          select 1
          from events v
          where v.execution_id = e.id
            and v.sequence = 1
            and case
              when json_typeof(v.payload #> '{input,message,messageId}') = 'string'
                and json_typeof(v.payload #> '{input,message,contextId}') = 'string'
                and v.payload #>> '{input,message,contextId}' <> ''
              then v.payload #>> '{input,message,contextId}' = $6
              else e.id = $7::uuid
            end
        ))
    ),
    page as (
      select e.*
      from fitting e
      where $8::timestamptz is null or (e.at, e.id) < ($8, $9::uuid)
      order by e.at desc, e.id desc
      limit $10
    )
    select c.total, ${EXECUTION_COLUMNS}
    from (select count(*)::int as total from fitting) c
    left join page e on true
    order by e.at desc, e.id desc`,
};
