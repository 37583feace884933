import { findMissing } from '../../domain/audit/diff-members.ts';
import type { Window } from '../../domain/audit/seal.ts';
import {
  verifyWindow,
  type AuditProblem,
  type VerifiedUpTo,
} from '../../domain/audit/verify-window.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { AuditStore } from '../../store/audit.ts';

export interface VerifiedWindow {
  readonly problems: readonly AuditProblem[];
  readonly upTo: VerifiedUpTo;
  readonly items: number;
  readonly retiredItems: number;
  /** The entries of imports in this window: ids with their tenants. */
  readonly imports: readonly (readonly [id: string, tenantId: string | null])[];
}

/** Compares a window with what the tables hold; hashes prove the items of removed executions. */
export async function verifyOneWindow(
  audit: AuditStore,
  given: {
    readonly upTo: VerifiedUpTo;
    readonly window: Window;
    /** Null: all tenants. */
    readonly tenantId: TenantId | null;
  },
): Promise<VerifiedWindow> {
  const { upTo, window, tenantId } = given;
  const { windowNumber, coversFrom, coversTo } = window;
  const seals = await audit.seals({ windowNumber });
  const found = await audit.sealable({ coversFrom, coversTo, tenantId });
  const retired = await readRetired(audit, findMissing(seals, found));
  const verified = verifyWindow({ upTo, window, seals, items: found, tenantId, retired });
  return {
    ...verified,
    items: found.length + verified.retiredItems,
    imports: found.flatMap(({ eventType, key, tenantId: owner }) =>
      eventType === IMPORTED ? [[key, owner] as const] : [],
    ),
  };
}

const IMPORTED = 'execution_imported';

/** By execution id. */
async function readRetired(
  audit: AuditStore,
  executionIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (executionIds.length === 0) return new Map();
  const retired = await audit.retired({ executionIds });
  return new Map(
    retired.map(({ executionId, eventHashes }) => [executionId, eventHashes] as const),
  );
}
