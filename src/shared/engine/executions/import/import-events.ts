import { createHash } from 'node:crypto';

import type { SealableItem } from '../../../domain/audit/seal.ts';
import type { DocumentedEvent } from '../../../domain/execution/execution-document.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { Importing } from '../../../store/imports.ts';

/** Payloads as the engine writes them: what came from here has the same text again, and so the same hash. */
export function prepareEvents(events: readonly DocumentedEvent[]): Importing['events'] {
  return events.map(({ sequence, kind, node_id, payload, actor_id, created_at }) => ({
    sequence,
    kind,
    node_id,
    payload: JSON.stringify(payload),
    actor_id,
    created_at,
  }));
}

/** The events as a seal would have them once they are stored. */
export function hashDocumented(given: {
  readonly tenantId: TenantId;
  readonly executionId: ExecutionId;
  readonly events: Importing['events'];
}): readonly SealableItem[] {
  const { tenantId, executionId, events } = given;
  return events.map((event) => ({
    tenantId,
    key: executionId,
    sequence: event.sequence,
    executionId,
    eventType: event.kind,
    nodeId: event.node_id,
    actorId: event.actor_id,
    payloadHash: createHash('sha256').update(event.payload).digest('hex'),
    createdMicros: Date.parse(event.created_at) * 1000,
  }));
}
