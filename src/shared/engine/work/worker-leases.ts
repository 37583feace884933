import { BoundedMap } from '../../domain/bounded-map.ts';
import type { DefinitionId, TenantId, WorkItemId } from '../../domain/ids.ts';
import { type ClaimFilter, filterKey } from '../../domain/work/claim-filter.ts';
import type { WorkerQueue, WorkItemRecord } from '../../domain/work/work-item.ts';
import type {
  ClaimedItem,
  Lease,
  LeaseRenewal,
  RenewedLease,
  WorkStore,
} from '../../store/store.ts';
import { gatherCalls } from '../../store/gather-calls.ts';
import type { Timers } from '../scheduling/timers.ts';

/*
 * Batches the requests of this process's workers to the store: claims of one tenant on the same
 * queues for the same tools in one statement, and renewals. Claims are served in order of arrival,
 * each as if alone. It also remembers the items that were handed out, so that a completion does not
 * read what the claim has read already; see `settle-work-item.ts`.
 */
export interface WorkerLeases {
  claim(call: ClaimCall): Promise<readonly ClaimedItem[]>;
  renew(renewal: LeaseRenewal): Promise<RenewedLease | null>;
  /** The item was handed out under this lease. */
  noteHandedOut(item: Settleable): void;
  /** Null: not handed out here, or forgotten. It may have been settled since. */
  handedOut(ref: {
    readonly workItemId: WorkItemId;
    readonly tenantId: TenantId;
    readonly leaseFence: number;
  }): Settleable | null;
  forget(workItemId: WorkItemId): void;
}

/** Everything that settling an item needs. */
export interface Settleable {
  readonly record: Omit<WorkItemRecord, 'payload'>;
  readonly lease: Pick<Lease, 'ticket' | 'leaseFence' | 'workerId' | 'claimedAt'>;
  readonly definitionId: DefinitionId;
  /** Set for a durable function whose turn was opened here. */
  readonly cancelRequested?: boolean;
}

export interface ClaimCall {
  readonly tenantId: TenantId;
  readonly queues: readonly WorkerQueue[];
  readonly filter?: ClaimFilter;
  readonly workerId: string;
  readonly claimId?: string | null;
  readonly limit: number;
  /** Aborted: the caller has left. */
  readonly signal: AbortSignal;
}

/** The most requests in a batch. */
const ITEMS_MAX = 200;
const RENEWALS_MAX = 500;
/** Evicted items are read again. An entry is about 1 kB. */
const REMEMBERED_MAX = 10_000;

export function createWorkerLeases(deps: {
  readonly work: Pick<WorkStore, 'claimTogether' | 'renew'>;
  readonly leaseMs: number;
  readonly timers: Timers;
}): WorkerLeases {
  const { work, leaseMs, timers } = deps;
  const handedOut = new BoundedMap<WorkItemId, Settleable>(REMEMBERED_MAX);

  const defer = (action: () => void) => void timers.after(0, action);

  async function claimAll(
    calls: readonly ClaimCall[],
  ): Promise<readonly (readonly ClaimedItem[])[]> {
    // An item leased to a caller who has left would only expire.
    const claimers = calls.map(({ workerId, claimId = null, limit, signal }) => ({
      workerId,
      claimId,
      limit: signal.aborted ? 0 : limit,
    }));
    const [first] = calls;
    if (first === undefined) return [];
    const { tenantId, queues, filter = {} } = first;
    return work.claimTogether({ ...filter, tenantId, queues, leaseMs, shards: null, claimers });
  }

  return {
    // One lane: two would each take only half of the callers.
    claim: gatherCalls(claimAll, {
      groupOf: ({ tenantId, queues, filter = {} }) =>
        `${tenantId} ${queues.toSorted().join(' ')} ${filterKey(filter)}`,
      sizeOf: ({ limit }) => limit,
      sizeMax: ITEMS_MAX,
      lanes: 1,
      onFailure: 'split',
      defer,
    }),
    // A renewal may wait for a commit on its item; meanwhile the others use another lane.
    renew: gatherCalls((renewals: readonly LeaseRenewal[]) => work.renew(renewals), {
      sizeMax: RENEWALS_MAX,
      lanes: 2,
      onFailure: 'split',
      defer,
    }),
    noteHandedOut(item) {
      handedOut.set(item.lease.ticket.workItemId, item);
    },
    handedOut({ workItemId, tenantId, leaseFence }) {
      const item = handedOut.get(workItemId);
      const isIt = item?.lease.leaseFence === leaseFence && item.record.tenantId === tenantId;
      return isIt ? item : null;
    },
    forget: (workItemId) => void handedOut.delete(workItemId),
  };
}
