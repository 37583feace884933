import { createHash } from 'node:crypto';

import { hashItems, type SealableItem } from './seal.ts';

/** The remaining record of an execution that retention has removed. */
export interface RetiredExecution {
  readonly executionId: string;
  readonly tenantId: string;
  /** The entry of the audit log that records it. */
  readonly retirementId: string;
  /** Hex SHA-256 of each event as it was sealed, one after the other from sequence 1. */
  readonly eventHashes: string;
}

/** Executions that were removed together, as the audit log's entry and the record of them say. */
export interface Retirement {
  readonly retirementId: string;
  /** The details of the entry; null: there is no such entry. */
  readonly told: { readonly tenantId: string; readonly digest: string } | null;
  readonly executions: readonly RetiredExecution[];
}

const HASH_DIGITS = 64;

/** The hashes of a whole history. */
export function hashHistory(events: readonly SealableItem[]): string {
  return hashItems(events)
    .map(({ hash }) => hash)
    .join('');
}

/** Null: it had no such event. */
export function hashOfEvent(eventHashes: string, sequence: number): string | null {
  const hash = eventHashes.slice((sequence - 1) * HASH_DIGITS, sequence * HASH_DIGITS);
  return sequence >= 1 && hash.length === HASH_DIGITS ? hash : null;
}

/**
 * The details of executions that are removed together, in their audit entry: the entry is sealed,
 * their records are not.
 */
export function digestRetired(
  executions: readonly Pick<RetiredExecution, 'executionId' | 'eventHashes'>[],
): string {
  const digest = createHash('sha256').update('svc.audit.retired.1');
  const sorted = executions.toSorted((one, other) =>
    one.executionId < other.executionId ? -1 : 1,
  );
  for (const { executionId, eventHashes } of sorted) {
    digest.update(`\n${executionId} ${eventHashes}`);
  }
  return digest.digest('hex');
}

/** Whether an entry of the audit log matches exactly these. */
export function isProved({ told, executions }: Retirement): boolean {
  return (
    told !== null &&
    told.digest === digestRetired(executions) &&
    executions.every(({ tenantId }) => tenantId === told.tenantId)
  );
}
