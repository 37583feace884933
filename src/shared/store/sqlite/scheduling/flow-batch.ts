import type { ExecutionId } from '../../../domain/ids.ts';
import { BATCH_MAX } from '../../../domain/workflow/flow/concurrency.ts';
import type { FlowStore } from '../../flow.ts';
import type { Connection } from '../connection/connect.ts';
import { removeEnded } from './remove-ended.ts';

type Line = Parameters<FlowStore['findBatch']>[0];

/** See `FIND_BATCH` of PostgreSQL. */
export function findBatch(connection: Connection, line: Line): readonly ExecutionId[] {
  removeEnded(connection, line);
  const { ids, dueAt, isFull } = gather(connection, line);
  return isFull || dueAt <= connection.now() ? ids : [];
}

/** Whether the batch is due before its time: nothing more fits. */
export function isBatchFull(connection: Connection, line: Line): boolean {
  return gather(connection, line).isFull;
}

function gather(
  connection: Connection,
  { tenantId, placeKey, bytesMax }: Line,
): { readonly ids: readonly ExecutionId[]; readonly dueAt: number; readonly isFull: boolean } {
  const waiting = connection.all<{
    readonly executionId: ExecutionId;
    readonly placesMax: number;
    readonly dueAt: number;
    readonly bytes: number;
  }>(
    `select execution_id as executionId, places_max as placesMax, due_at as dueAt, batch_bytes as bytes
     from flow_waits
     where tenant_id = ? and place_key = ?
     order by seq
     limit ?`,
    [tenantId, placeKey, BATCH_MAX + 1],
  );
  const [oldest] = waiting;
  if (oldest === undefined) return { ids: [], dueAt: Infinity, isFull: false };
  let bytes = 0;
  const ids: ExecutionId[] = [];
  for (const one of waiting.slice(0, oldest.placesMax)) {
    bytes += one.bytes;
    if (ids.length > 0 && bytes > bytesMax) break;
    ids.push(one.executionId);
  }
  const isFull = ids.length === oldest.placesMax || ids.length < waiting.length;
  return { ids, dueAt: oldest.dueAt, isFull };
}
