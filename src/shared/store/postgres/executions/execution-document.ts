import {
  EXECUTION_FORMAT,
  type DocumentHead,
  type ExecutionDocument,
} from '../../../domain/execution/document/execution-document.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';
import { EVERY_TENANT } from '../connection/session.ts';
import { toUuid } from '../rows.ts';

const idOf = (column: string): string => `'exec_' || replace(${column}::text, '-', '')`;
const isoOf = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** One statement is one snapshot: all parts are of the same moment. */
const documentOf = (events: string): string => `
    select json_build_object(
      'format', '${EXECUTION_FORMAT}',
      'execution', json_build_object(
        'execution_id', ${idOf('e.id')},
        'tenant_id', e.tenant_id,
        'definition_id', e.definition_id,
        'workflow_id', e.workflow_id,
        'workflow_version', e.workflow_version,
        'parent_execution_id', ${idOf('e.parent_execution_id')},
        'status', e.status,
        'last_sequence', e.last_sequence,
        'shard', e.shard,
        'priority', e.priority,
        'error', e.error,
        'created_at', ${isoOf('e.created_at')},
        'updated_at', ${isoOf('e.updated_at')},
        'completed_at', ${isoOf('e.completed_at')}
      ),
      'definition', (
        select json_build_object(
          'definition_id', d.definition_id, 'revision', d.revision, 'ir_hash', d.ir_hash
        )
        from (
          select x.definition_id, x.revision, x.ir_hash
          from definitions x
          where x.definition_id = e.definition_id
          union all
          select x.definition_id, x.revision, x.ir_hash
          from imported_definitions x
          where x.definition_id = e.definition_id
          limit 1
        ) d
      ),
      ${events}
      'snapshot', (
        select json_build_object('sequence', s.sequence, 'body', s.body)
        from snapshots s
        where s.execution_id = e.id
      ),
      'recorded_outputs', (
        select coalesce(json_agg(json_build_object(
          'idempotency_key', r.idempotency_key, 'work_item_id', r.work_item_id,
          'event_sequence', r.event_sequence, 'output', r.output, 'state_patch', r.state_patch,
          'created_at', ${isoOf('r.created_at')}
        ) order by r.idempotency_key), '[]')
        from recorded_outputs r
        where r.execution_id = e.id
      )
    ) as document
    from executions e
    where e.id = $1
      and ($2::text is null or e.tenant_id = $2)`;

const EVENTS = `'events', (
        select coalesce(json_agg(json_build_object(
          'sequence', v.sequence, 'kind', v.kind, 'node_id', v.node_id, 'payload', v.payload,
          'actor_id', v.actor_id, 'created_at', ${isoOf('v.created_at')}
        ) order by v.sequence), '[]')
        from events v
        where v.execution_id = e.id
      ),`;

const DOCUMENT: Statement = {
  name: 'execution-document',
  writes: false,
  text: documentOf(EVENTS),
};

const DOCUMENT_HEAD: Statement = {
  name: 'execution-document-head',
  writes: false,
  text: documentOf(''),
};

export function readExecutionDocument(
  pool: PostgresPool,
  id: ExecutionId,
  tenantId: TenantId | null,
): Promise<ExecutionDocument | null> {
  return read(pool, DOCUMENT, { id, tenantId });
}

export function readDocumentHead(
  pool: PostgresPool,
  id: ExecutionId,
  tenantId: TenantId | null,
): Promise<DocumentHead | null> {
  return read(pool, DOCUMENT_HEAD, { id, tenantId });
}

async function read<Document extends DocumentHead>(
  pool: PostgresPool,
  statement: Statement,
  { id, tenantId }: { readonly id: ExecutionId; readonly tenantId: TenantId | null },
): Promise<Document | null> {
  const [row] = await pool.run<{ readonly document: string }>(
    statement,
    [toUuid(id), tenantId],
    tenantId ?? EVERY_TENANT,
  );
  return row === undefined ? null : (JSON.parse(row.document) as Document);
}
