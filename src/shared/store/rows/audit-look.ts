import { eventKindOf } from '../../domain/audit/audit-item.ts';
import { isEventKind } from '../../domain/audit/event-kinds.ts';
import type { AuditLook, AuditPlace, ListAudit, ListedItem } from '../audit.ts';

/** How far a request looks for a page of matches: see `ListAudit.look`. */
export const AUDIT_LOOK: AuditLook = { itemsMax: 5_000, msMax: 25 };

/**
 * Matches may be rare with a filter by type or actor alone. An offset is not bounded: the next page
 * would have to know how much of it was skipped.
 */
export function isLookBounded({ executionId, eventType, actorId, offset }: ListAudit): boolean {
  return (eventType !== null || actorId !== null) && executionId === null && offset === 0;
}

/** Whether events can match; otherwise only the log's own items are looked at. */
export function mayBeEvents({ eventType }: ListAudit): boolean {
  if (eventType === null) return true;
  const kind = eventKindOf(eventType);
  return kind !== null && isEventKind(kind);
}

export function placeOfLast(items: readonly ListedItem[]): AuditPlace | null {
  const last = items.at(-1);
  if (last === undefined) return null;
  const { createdAt, executionId, sequence, id } = last;
  const key = sequence === null || executionId === null ? id : executionId;
  return { createdAt, key, sequence: sequence ?? 0 };
}

/** Every item that is older than this moment follows this place, and no item of the moment itself. */
export function placeBefore(createdAt: string): AuditPlace {
  return { createdAt, key: FIRST_UUID, sequence: 0 };
}

const FIRST_UUID = '00000000-0000-0000-0000-000000000000';
