import { createAuditSealing } from '../../src/shared/engine/audit/audit-sealing.ts';
import { verifyAudit } from '../../src/shared/engine/audit/verify-audit.ts';
import type { WindowHead } from '../../src/shared/domain/audit/seal.ts';
import type { Store } from '../../src/shared/store/store.ts';

export interface Chain {
  readonly head: WindowHead;
  readonly items: number;
  readonly problems: readonly string[];
}

/** Seals everything, and verifies the whole chain, which must still contain `earlier`. */
export async function verifyChain(store: Store, earlier: Chain | null): Promise<Chain> {
  const sealing = createAuditSealing(store, { now: () => 0 });
  for (let more = true; more;) ({ more } = await sealing.round());
  const expected = earlier === null || earlier.head.windowNumber === 0 ? null : earlier.head;
  const { head, items, problems } = await verifyAudit(store.audit, { tenantId: null, expected });
  return { head, items, problems: problems.map((problem) => JSON.stringify(problem)) };
}
