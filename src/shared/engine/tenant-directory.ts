import type { TenantId } from '../domain/ids.ts';
import { unlistedTenant, type Tenant } from '../domain/tenant.ts';
import type { TenantStore } from '../store/tenants.ts';

/**
 * What holds for tenants, asked with every request and remembered for a few seconds: a change made
 * by another process is known here within that time. This process calls `forget` after its own.
 */
export interface TenantDirectory {
  get(tenantId: TenantId): Promise<Tenant>;
  forget(tenantId: TenantId): void;
}

export const TENANT_REMEMBER_MS = 3_000;
export const TENANTS_REMEMBERED_MAX = 10_000;

export function createTenantDirectory(deps: {
  readonly tenants: Pick<TenantStore, 'find'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}): TenantDirectory {
  const remembered = new Map<TenantId, { readonly at: number; readonly tenant: Promise<Tenant> }>();
  return {
    /** Callers at the same time share one look-up. */
    get(tenantId) {
      const known = remembered.get(tenantId);
      if (known !== undefined && deps.now() - known.at < TENANT_REMEMBER_MS) return known.tenant;
      const tenant = find(tenantId);
      const entry = { at: deps.now(), tenant };
      remembered.delete(tenantId);
      if (remembered.size >= TENANTS_REMEMBERED_MAX) forgetOldest();
      remembered.set(tenantId, entry);
      tenant.catch(() => {
        if (remembered.get(tenantId) === entry) remembered.delete(tenantId);
      });
      return tenant;
    },
    forget: (tenantId) => void remembered.delete(tenantId),
  };

  async function find(tenantId: TenantId): Promise<Tenant> {
    return (await deps.tenants.find(tenantId)) ?? unlistedTenant(tenantId);
  }

  function forgetOldest(): void {
    const oldest = remembered.keys().next();
    if (oldest.done !== true) remembered.delete(oldest.value);
  }
}
