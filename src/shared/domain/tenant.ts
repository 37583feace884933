import type { TenantId } from './ids.ts';
import type { MemoryTier } from './memory/tiers.ts';
import type { Policy } from './policy/policy.ts';

/** A tenant and what it may do: decisions on its rows, its tools and how much it may have. */
export interface Tenant {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly status: TenantStatus;
  readonly policy: Policy;
  readonly limits: TenantLimits;
}

/** `suspended`: it may read, nothing of it runs · `archived`: it may not even read. */
export const TENANT_STATUSES = ['active', 'suspended', 'archived'] as const;
export type TenantStatus = (typeof TENANT_STATUSES)[number];

/** An absent field means no limit. Stored as sent, so it has the wire's names. */
export interface TenantLimits {
  /** Executions that have begun and have not ended; children wait for a place among them. */
  readonly max_concurrent_executions?: number;
  /** Whether starts beyond these wait; absent: `refuse`. */
  readonly when_full?: 'queue' | 'refuse';
  /** Executions that may descend from one; absent: as `scheduler.max_descendants` has it. */
  readonly max_descendants?: number;
  /** Workflow ids, however many versions and revisions each has. */
  readonly max_workflows?: number;
  /** Work items waiting for a worker, judged when an execution is started. */
  readonly max_queued_work_items?: number;
  /** Requests that one API process serves. */
  readonly requests_per_second?: number;
  /** Time that schemas of the tenant keep a worker thread of one process busy. */
  readonly max_cpu_seconds_per_minute?: number;
  readonly memory_tier?: MemoryTier;
}

/** Whether starts wait for a place of the tenant when none is free. */
export function queuesStarts({ limits }: Pick<Tenant, 'limits'>): boolean {
  return limits.when_full === 'queue' && limits.max_concurrent_executions !== undefined;
}

/** A limit that a request can run into: a tenant's, or one of the process itself. */
export type LimitName =
  | Exclude<keyof TenantLimits, 'memory_tier' | 'max_descendants' | 'when_full'>
  | 'streams_per_token'
  | 'result_waits_per_token';

/**
 * The settings of a tenant that was never created. The API does not serve it; the engine runs its
 * existing executions.
 */
export function unlistedTenant(tenantId: TenantId): Tenant {
  return { tenantId, name: tenantId, status: 'active', policy: {}, limits: {} };
}

/** Null when the tenant may do it, else why not: the words of the 403. */
export function objectionOf(tenant: Tenant, request: { readonly writes: boolean }): string | null {
  switch (tenant.status) {
    case 'active':
      return null;
    case 'suspended':
      return request.writes ? `${tenant.tenantId} is suspended and may only read` : null;
    case 'archived':
      return `${tenant.tenantId} is archived`;
  }
}
