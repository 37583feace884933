import type { TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Policy } from '../domain/policy/policy.ts';
import type { Tenant, TenantLimits, TenantStatus } from '../domain/tenant.ts';

/** Created tenants; `default` exists from the beginning. */
export interface TenantStore {
  /** Null when there is a tenant of that id. */
  create(params: {
    readonly tenantId: TenantId;
    readonly name: string;
    readonly actorId: string;
  }): Promise<TenantRow | null>;
  find(tenantId: TenantId): Promise<TenantRow | null>;
  /** In the order of their ids. */
  list(params: ListTenants): Promise<readonly TenantRow[]>;
  count(): Promise<number>;
  /** Null fields keep their values; returns null when there is no such tenant. */
  update(
    tenantId: TenantId,
    changes: TenantChanges & { readonly actorId: string },
  ): Promise<TenantRow | null>;
}

export interface ListTenants {
  /** Only those with a greater id. */
  readonly after?: TenantId | null;
  readonly limit: number;
  readonly offset: number;
}

export interface TenantRow extends Tenant {
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** `policy` and `limits` replace the old ones completely. */
export interface TenantChanges {
  readonly name: string | null;
  readonly status: TenantStatus | null;
  readonly policy: Policy | null;
  readonly limits: TenantLimits | null;
}

/** The details of a change, for the audit log. */
export function namedIn(changes: TenantChanges): JsonObject {
  const named = Object.entries(changes).filter(([, value]) => value !== null);
  return JSON.parse(JSON.stringify(Object.fromEntries(named))) as JsonObject;
}
