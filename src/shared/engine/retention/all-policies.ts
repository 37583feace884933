import type { TenantId } from '../../domain/ids.ts';
import type { RetentionPolicy } from '../../domain/retention/retention-policy.ts';
import type { RetentionStore } from '../../store/retention.ts';

const POLICIES_AT_A_TIME = 500;

/** Those of one tenant, or of all for null, in the order of tenants. */
export async function* allPolicies(
  store: Pick<RetentionStore, 'listPolicies'>,
  tenantId: TenantId | null,
): AsyncGenerator<RetentionPolicy> {
  const limit = POLICIES_AT_A_TIME;
  for (let offset = 0; ; offset += limit) {
    const page = await store.listPolicies({ tenantId, limit, offset });
    yield* page;
    if (page.length < limit) return;
  }
}
