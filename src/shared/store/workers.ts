import type { TenantId } from '../domain/ids.ts';
import type { ClaimFilter } from '../domain/work/claim-filter.ts';

export interface WorkerStore {
  /** One statement for all; `tenantId` null for runtime processes. */
  announce(workers: readonly WorkerAnnouncement[]): Promise<void>;
  /** Seen in the last 60 s: the tenant's tool workers and the runtime's processes. */
  list(params: ListWorkers): Promise<WorkerList>;
  /** It has stopped. */
  withdraw(worker: Pick<WorkerAnnouncement, 'workerId' | 'tenantId'>): Promise<void>;
}

export interface ListWorkers {
  readonly tenantId: TenantId;
  /**
   * Counts at most so many leases of all tenants: no index has the worker, as each claim would write
   * it. 0: counts none.
   */
  readonly leasesMax: number;
}

export interface WorkerList {
  readonly workers: readonly WorkerRow[];
  /** False: there are more leases than were counted, so `activeItems` is only the least. */
  readonly isExact: boolean;
}

export interface WorkerAnnouncement {
  readonly workerId: string;
  readonly tenantId: TenantId | null;
  readonly kind: 'runtime' | 'tool';
  /** `api`, `scheduler` or `all` for runtime processes, null for tool workers. */
  readonly role: string | null;
  readonly queueTypes: readonly string[];
  /** The tool worker's filter for these. */
  readonly filter?: ClaimFilter;
  readonly version: string;
  readonly host: string;
}

export interface WorkerRow {
  readonly workerId: string;
  readonly kind: 'runtime' | 'tool';
  readonly role: string | null;
  readonly queueTypes: readonly string[];
  readonly filter: ClaimFilter;
  readonly version: string;
  readonly host: string;
  readonly startedAt: string;
  readonly lastHeartbeat: string;
  /** Leases held now. */
  readonly activeItems: number;
}
