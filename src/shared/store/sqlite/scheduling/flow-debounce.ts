import type { ExecutionId } from '../../../domain/ids.ts';
import type { EndedDebounce, FlowStore } from '../../flow.ts';
import type { WaitLine } from '../../rows/wait-line.ts';
import { insertWait } from '../commit/places.ts';
import type { Connection } from '../connection/connect.ts';
import { markRunnable } from './mark-runnable.ts';
import { removeEnded } from './remove-ended.ts';

const NOTHING: EndedDebounce = { begun: [], hasMoved: false };

/** See `END_DEBOUNCE` of PostgreSQL. */
export function endDebounce(
  connection: Connection,
  { tenantId, placeKey }: Parameters<FlowStore['endDebounce']>[0],
): EndedDebounce {
  removeEnded(connection, { tenantId, placeKey });
  const waiting = connection.all<{
    readonly executionId: ExecutionId;
    readonly shard: number;
    readonly since: number;
    readonly dueAt: number;
    readonly nextLine: string | null;
  }>(
    `select execution_id as executionId, shard, since, due_at as dueAt, next_line as nextLine
     from flow_waits
     where tenant_id = ? and place_key = ?
     order by seq desc
     limit 2`,
    [tenantId, placeKey],
  );
  const [newest, older] = waiting;
  const now = connection.now();
  if (newest === undefined || older !== undefined || newest.dueAt > now) return NOTHING;
  const { executionId, shard, since, nextLine } = newest;
  if (nextLine === null) {
    connection.run('delete from flow_waits where execution_id = ?', [executionId]);
    markRunnable(connection, { executionId, shard });
    return { begun: [{ executionId, shard, waitedMs: now - since }], hasMoved: false };
  }
  const line = JSON.parse(nextLine) as WaitLine;
  insertWait(connection, { executionId, tenantId, shard, since: now, line });
  return { begun: [], hasMoved: true };
}
