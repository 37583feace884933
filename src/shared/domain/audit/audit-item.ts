import { createHash } from 'node:crypto';

import type { ExecutionId, TenantId } from '../ids.ts';
import type { JsonObject } from '../json.ts';

/** One thing that was done, as the audit log shows it: an execution's event, or a managing request. */
export interface AuditItem {
  /** UUID: UUIDv7 of a managing request; of an event derived from where it stands. */
  readonly id: string;
  readonly tenantId: TenantId;
  readonly executionId: ExecutionId | null;
  /** Position among the execution's events; null for a managing request. */
  readonly sequence: number | null;
  /** snake_case */
  readonly eventType: string;
  readonly nodeId: string | null;
  /** `token:<name>`, `worker:<id>`, `agent:<id>`, `system:scheduler`, `system:cli`. */
  readonly actorId: string;
  readonly createdAt: string;
}

/** A managing request to record. */
export interface AuditEntry {
  readonly tenantId: TenantId;
  readonly executionId: ExecutionId | null;
  /** snake_case, what was done: `token_created`. */
  readonly eventType: string;
  readonly actorId: string;
  /** Shown to every reader of the tenant: ids, names and counts, never secrets. */
  readonly payload: JsonObject;
}

/** `ToolCallCompleted` as `tool_call_completed`. */
export function eventTypeOf(kind: string): string {
  return kind.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** Null where no kind of event has that type. */
export function eventKindOf(eventType: string): string | null {
  if (!/^[a-z]+(_[a-z]+)*$/.test(eventType)) return null;
  return eventType.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The id of an event's item: the same whenever it is asked for, without a column of its own in the
 * widest table. A UUIDv8 (RFC 9562 §5.8), made of a hash.
 */
export function auditIdOfEvent(executionId: ExecutionId, sequence: number): string {
  const hex = createHash('sha256').update(`${executionId}:${sequence}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
