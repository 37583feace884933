import type { ExecutionId, TenantId } from '../domain/ids.ts';
import type { AdmittedExecution } from './flow.ts';

/**
 * Places of a tenant's `max_concurrent_executions`. An execution takes one from its first step
 * until it ends. A child may also use its parent's place, which one child at a time can borrow: so
 * a parent never waits for a child that cannot begin. All other children wait, the oldest first.
 */
export interface PlaceStore {
  /**
   * Lets children of the tenant begin that wait for a place, as many as there are places now and at
   * most `limit`. Counted under the lock of the tenant's row, like starts.
   */
  admit(params: {
    readonly tenantId: TenantId;
    readonly limit: number;
  }): Promise<readonly AdmittedExecution[]>;
  /** Tenants with children that wait for a place. */
  listTenants(): Promise<readonly TenantId[]>;
  /** Null: the execution waits for no place. */
  find(executionId: ExecutionId, bounds?: WaitBounds): Promise<PlaceWait | null>;
}

export interface WaitBounds {
  /** No further than this is it counted who waits longer; `AHEAD_MAX` by default. */
  readonly aheadMax: number;
}

export const AHEAD_MAX = 1_000;

export interface PlaceWait {
  /** ISO instant. */
  readonly since: string;
  /** Children of the tenant that wait longer, counted to `aheadMax`. */
  readonly ahead: number;
  /** The tenant's `max_concurrent_executions`; null: it has been taken away meanwhile. */
  readonly placesMax: number | null;
}
