import { BoundedMap } from '../../domain/bounded-map.ts';
import type { TenantId } from '../../domain/ids.ts';
import { unlistedTenant, type Tenant } from '../../domain/tenant.ts';
import type { Wake } from '../../ports/wake.ts';
import type { TenantStore } from '../../store/tenants.ts';
import { TENANTS_TOPIC } from '../wake/wake-bus.ts';

/**
 * The settings of tenants, read with every request and cached for a few seconds. A hint reports the
 * change of another process at once; if it is lost, the change is known here within that time. This
 * process calls `forget` after its own.
 */
export interface TenantDirectory {
  /** Null: nobody has made it. That is never remembered, so a tenant is served as soon as it is made. */
  find(tenantId: TenantId): Promise<Tenant | null>;
  /** For running executions: a tenant that was never created has no limits. */
  get(tenantId: TenantId): Promise<Tenant>;
  forget(tenantId: TenantId): void;
}

export const TENANT_REMEMBER_MS = 3_000;
export const TENANTS_REMEMBERED_MAX = 10_000;

export function createTenantDirectory(deps: {
  readonly tenants: Pick<TenantStore, 'find'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly wake: Pick<Wake, 'subscribe'>;
}): TenantDirectory {
  const remembered = new BoundedMap<
    TenantId,
    { readonly at: number; readonly tenant: Promise<Tenant | null> }
  >(TENANTS_REMEMBERED_MAX);
  deps.wake.subscribe(
    TENANTS_TOPIC,
    () => remembered.clear(),
    (changed) => remembered.has(changed as TenantId),
  );
  return {
    find,
    get: async (tenantId) => (await find(tenantId)) ?? unlistedTenant(tenantId),
    forget: (tenantId) => void remembered.delete(tenantId),
  };

  /** Callers at the same time share one look-up. */
  async function find(tenantId: TenantId): Promise<Tenant | null> {
    const known = remembered.get(tenantId);
    if (known !== undefined && deps.now() - known.at < TENANT_REMEMBER_MS) {
      const tenant = await known.tenant;
      if (tenant !== null) return tenant;
      // The look-up began before this call, and the tenant may have been made in between.
    }
    return lookUp(tenantId);
  }

  function lookUp(tenantId: TenantId): Promise<Tenant | null> {
    const tenant = deps.tenants.find(tenantId);
    const entry = { at: deps.now(), tenant };
    remembered.set(tenantId, entry);
    const drop = () => {
      if (remembered.get(tenantId) === entry) remembered.delete(tenantId);
    };
    tenant.then((found) => found === null && drop(), drop);
    return tenant;
  }
}
