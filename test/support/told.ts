import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { ExecutionEvent } from './wire.ts';

/** Events as `Kind node`, with the visit unless it is the first: `NodeScheduled check#1`. */
export function toldBy(events: readonly ExecutionEvent[]): readonly string[] {
  return events.map(({ kind, node_id: nodeId, payload }) => {
    if (nodeId === null) return kind;
    const visit = payload['visit'];
    return `${kind} ${nodeId}${typeof visit === 'number' && visit > 0 ? `#${visit}` : ''}`;
  });
}

const DIFFERS = ['work_item_id', 'idempotency_key', 'definition_id', 'execution_id'];

/** Events without the parts that differ between runs: ids, keys and times. */
export function masked(events: readonly ExecutionEvent[]): readonly JsonObject[] {
  return events.map(({ sequence, kind, node_id, actor_id, payload }) => ({
    sequence,
    kind,
    node_id,
    actor_id,
    payload: Object.fromEntries(
      Object.entries(payload).map(([key, value]) => [key, DIFFERS.includes(key) ? '…' : value]),
    ),
  }));
}
