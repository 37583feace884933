import type { TenantId } from '../../domain/ids.ts';
import type { ExportedItem, ExportPosition } from '../../store/audit.ts';
import type { Store } from '../../store/store.ts';

/** Items read at a time: payloads may be large, and only so many are ever held. */
const ITEMS_AT_A_TIME = 200;

export interface AuditRange {
  /** Null: all tenants, for the operator of the service. */
  readonly tenantId: TenantId | null;
  readonly since: string | null;
  readonly until: string | null;
}

/** The audit log with the events of executions, oldest first. */
export async function* exportAudit(
  { store }: { readonly store: Pick<Store, 'audit'> },
  range: AuditRange,
): AsyncGenerator<ExportedItem> {
  let after: ExportPosition | null = null;
  for (;;) {
    const page: readonly ExportedItem[] = await store.audit.export({
      ...range,
      after,
      limit: ITEMS_AT_A_TIME,
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.position;
  }
}
