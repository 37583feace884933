import {
  EXECUTION_FORMAT,
  type DocumentedDefinition,
  type DocumentHead,
  type ExecutionDocument,
} from '../../../domain/execution/document/execution-document.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import type { Connection } from '../connection/connect.ts';
import { EXECUTION_COLUMNS, toIso, toIsoOrNull, type ExecutionRecord } from '../rows.ts';

interface EventRecord {
  readonly sequence: number;
  readonly kind: string;
  readonly node_id: string | null;
  readonly payload: string;
  readonly actor_id: string;
  readonly created_at: number;
}

interface OutputRecord {
  readonly idempotency_key: string;
  readonly work_item_id: string;
  readonly event_sequence: number | null;
  readonly output: string | null;
  readonly state_patch: string | null;
  readonly created_at: number;
}

/** To be called within a transaction, so that all parts are of the same moment. */
export function readExecutionDocument(
  connection: Connection,
  id: ExecutionId,
  tenantId: TenantId | null,
): ExecutionDocument | null {
  const head = readDocumentHead(connection, id, tenantId);
  return head && { ...head, events: readEvents(connection, id) };
}

function readEvents(connection: Connection, id: ExecutionId): ExecutionDocument['events'] {
  return connection
    .all<EventRecord>(
      `select sequence, kind, node_id, payload, actor_id, created_at
       from events
       where execution_id = ?
       order by sequence`,
      [id],
    )
    .map((event) => ({
      ...event,
      payload: JSON.parse(event.payload) as JsonObject,
      created_at: toIso(event.created_at),
    }));
}

/** To be called within a transaction, too. */
export function readDocumentHead(
  connection: Connection,
  id: ExecutionId,
  tenantId: TenantId | null,
): DocumentHead | null {
  const row = connection.get<ExecutionRecord>(
    `select ${EXECUTION_COLUMNS}
     from executions
     where id = :id
       and (:tenant_id is null or tenant_id = :tenant_id)`,
    { id, tenant_id: tenantId },
  );
  if (row === undefined) return null;
  const { id: executionId, created_at, updated_at, completed_at, ...rest } = row;
  return {
    format: EXECUTION_FORMAT,
    execution: {
      execution_id: executionId,
      ...rest,
      created_at: toIso(created_at),
      updated_at: toIso(updated_at),
      completed_at: toIsoOrNull(completed_at),
    },
    definition:
      connection.get<DocumentedDefinition>(
        `select definition_id, revision, ir_hash
         from definitions
         where definition_id = :id
         union all
         select definition_id, revision, ir_hash
         from imported_definitions
         where definition_id = :id
         limit 1`,
        { id: row.definition_id },
      ) ?? null,
    snapshot:
      connection.get<{ readonly sequence: number; readonly body: string }>(
        'select sequence, body from snapshots where execution_id = ?',
        [id],
      ) ?? null,
    recorded_outputs: connection
      .all<OutputRecord>(
        `select idempotency_key, work_item_id, event_sequence, output, state_patch, created_at
         from recorded_outputs
         where execution_id = ?
         order by idempotency_key`,
        [id],
      )
      .map((output) => ({
        ...output,
        output: output.output === null ? null : (JSON.parse(output.output) as JsonValue),
        state_patch:
          output.state_patch === null ? null : (JSON.parse(output.state_patch) as JsonObject),
        created_at: toIso(output.created_at),
      })),
  };
}
