import { auditIdOfEvent } from '../../domain/audit/audit-item.ts';
import {
  diffHistory,
  isImportProved,
  type RecordedImport,
} from '../../domain/audit/imported-executions.ts';
import type { Retirement } from '../../domain/audit/retired-executions.ts';
import type { AuditProblem } from '../../domain/audit/verify-window.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { AuditStore } from '../../store/audit.ts';

/** Holds an imported history against its hashes, and these against the entry of the import. */
export async function verifyImport(
  audit: AuditStore,
  imported: RecordedImport,
): Promise<{ readonly problems: readonly AuditProblem[]; readonly events: number }> {
  const { importId, tenantId, eventHashes } = imported;
  if (!isImportProved(imported)) {
    return { problems: [importUnproved(importId, tenantId)], events: 0 };
  }
  if (!imported.isThere) return { problems: [], events: 0 };
  const executionId = imported.executionId as ExecutionId;
  const events = await audit.histories([executionId]);
  const problems = diffHistory(eventHashes, events).map(({ what, sequence, item }) => ({
    what,
    tenantId,
    windowNumber: null,
    sealNumber: null,
    row: {
      id: auditIdOfEvent(executionId, sequence),
      executionId,
      sequence,
      createdAt: item && new Date(item.createdMicros / 1000).toISOString(),
    },
  }));
  return { problems, events: events.length };
}

export function importUnproved(id: string, tenantId: string | null): AuditProblem {
  const row = { id, executionId: null, sequence: null, createdAt: null };
  return { what: 'import_unproved', tenantId, windowNumber: null, sealNumber: null, row };
}

export function retirementUnproved({ retirementId: id, executions }: Retirement): AuditProblem {
  const row = { id, executionId: null, sequence: null, createdAt: null };
  const tenantId = executions[0]?.tenantId ?? null;
  return { what: 'retirement_unproved', tenantId, windowNumber: null, sealNumber: null, row };
}
