import { createHash } from 'node:crypto';

import type { ExecutionId } from '../ids.ts';
import { hashOfEvent } from './retired-executions.ts';
import { hashItems, type SealableItem } from './seal.ts';

/** The import of an execution from a file, for its readers. */
export interface ImportedExecution {
  readonly executionId: ExecutionId;
  /** `token:<name>` */
  readonly importedBy: string;
  readonly importedAt: string;
  /** Hash of the document, hex. */
  readonly documentSha256: string;
}

/** One import, as the record and the audit log's entry have it. */
export interface RecordedImport {
  /** Id of the entry in the audit log. */
  readonly importId: string;
  readonly executionId: string;
  readonly tenantId: string;
  readonly documentSha256: string;
  /** The removal that it takes back; null: the execution had never been there. */
  readonly retirementId: string | null;
  /** Hex SHA-256 of each event as a seal would have it, one after the other from sequence 1. */
  readonly eventHashes: string;
  /** The details of the entry; null: there is no such entry. */
  readonly told: { readonly tenantId: string; readonly digest: string } | null;
  /** Not removed again since: its events must be there. */
  readonly isThere: boolean;
}

/** The details of an import in its audit entry: the entry is sealed, the record is not. */
export function digestImported(
  imported: Pick<RecordedImport, 'executionId' | 'documentSha256' | 'retirementId' | 'eventHashes'>,
): string {
  const { executionId, documentSha256, retirementId, eventHashes } = imported;
  return createHash('sha256')
    .update('svc.audit.imported.1')
    .update(`\n${executionId} ${documentSha256} ${retirementId ?? '-'} ${eventHashes}`)
    .digest('hex');
}

/** Whether an entry of the audit log matches exactly this import. */
export function isImportProved(imported: RecordedImport): boolean {
  const { told, tenantId } = imported;
  return told !== null && told.tenantId === tenantId && told.digest === digestImported(imported);
}

export interface HistoryDifference {
  readonly what: 'row_changed' | 'row_removed' | 'row_added';
  readonly sequence: number;
  /** The event as it is now; null when it is gone. */
  readonly item: SealableItem | null;
}

/** Which events of a history are not those of the hashes, in order. */
export function diffHistory(
  eventHashes: string,
  events: readonly SealableItem[],
): readonly HistoryDifference[] {
  const differences: HistoryDifference[] = [];
  const present = new Map(
    hashItems(events).map(({ item, hash }) => [item.sequence, { item, hash }]),
  );
  for (let sequence = 1; ; sequence += 1) {
    const expected = hashOfEvent(eventHashes, sequence);
    if (expected === null) break;
    const found = present.get(sequence);
    present.delete(sequence);
    if (found === undefined) differences.push({ what: 'row_removed', sequence, item: null });
    else if (found.hash !== expected) {
      differences.push({ what: 'row_changed', sequence, item: found.item });
    }
  }
  for (const [sequence, { item }] of present) {
    differences.push({ what: 'row_added', sequence: sequence ?? 0, item });
  }
  return differences;
}
