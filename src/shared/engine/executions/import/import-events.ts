import { createHash } from 'node:crypto';

import { hashHistory } from '../../../domain/audit/retired-executions.ts';
import type { SealableItem } from '../../../domain/audit/seal.ts';
import type { DocumentedEvent } from '../../../domain/execution/document/execution-document.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import type { Importing } from '../../../store/imports.ts';
import { hashesIn } from '../../artifacts/artifacts-named.ts';
import { inPieces } from '../../scheduling/in-pieces.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';

export interface PreparedEvents extends Pick<Importing, 'events' | 'eventHashes'> {
  /** Contents that the events refer to, by their hashes in hex, sorted. */
  readonly artifacts: readonly string[];
}

export async function prepareInPieces(
  deps: Pick<UseCaseDeps, 'timers'>,
  given: {
    readonly tenantId: TenantId;
    readonly executionId: ExecutionId;
    readonly events: readonly DocumentedEvent[];
  },
): Promise<PreparedEvents> {
  const events: Importing['events'][number][] = [];
  const artifacts = new Set<string>();
  let eventHashes = '';
  await inPieces(deps, given.events, (piece) => {
    const prepared = prepareEvents(piece);
    for (const event of prepared) {
      events.push(event);
      for (const hash of hashesIn(event.payload)) artifacts.add(hash);
    }
    eventHashes += hashHistory(hashDocumented({ ...given, events: prepared }));
  });
  return { events, eventHashes, artifacts: [...artifacts].toSorted() };
}

/** As `hashHistory`, of items in the order of their sequences. */
export async function hashInPieces(
  deps: Pick<UseCaseDeps, 'timers'>,
  items: readonly SealableItem[],
): Promise<string> {
  let hashes = '';
  await inPieces(deps, items, (piece) => {
    hashes += hashHistory(piece);
  });
  return hashes;
}

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
