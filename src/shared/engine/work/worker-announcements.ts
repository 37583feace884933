import type { TenantId } from '../../domain/ids.ts';
import {
  type ClaimFilter,
  filterKey,
  mergeFilters,
  queueNamesOf,
} from '../../domain/work/claim-filter.ts';
import type { WorkerAnnouncement, WorkerStore } from '../../store/store.ts';
import type { EngineReport } from '../report.ts';

/** How often a busy worker is announced again; well below the 60 s after which it counts as gone. */
const ANNOUNCE_EVERY_MS = 15_000;
/** How soon a changed request of a worker is announced. */
const NEWS_EVERY_MS = 1_000;
/** Bounded, because callers choose worker ids and could fill the memory. */
const KNOWN_MAX = 10_000;

/** The tool workers that claim through this process, announced together in one statement. */
export interface WorkerAnnouncements {
  note(
    tenantId: TenantId,
    worker: {
      readonly workerId: string;
      readonly queues: readonly string[];
      readonly filter?: ClaimFilter;
      readonly host: string;
      readonly version: string;
    },
  ): void;
  /** Its claim has broken off: it is not announced again, unless it claims again. */
  forget(tenantId: TenantId, workerId: string): void;
  /** It stops: it counts no longer. */
  withdraw(tenantId: TenantId, workerId: string): void;
}

export function createWorkerAnnouncements(deps: {
  readonly workers: Pick<WorkerStore, 'announce' | 'withdraw'>;
  readonly report: EngineReport;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}): WorkerAnnouncements {
  const announced = new Map<string, WorkerAnnouncement>();
  let seen = new Map<string, WorkerAnnouncement>();
  let lastFlush = -Infinity;

  async function flush(): Promise<void> {
    const batch = [...seen.values()];
    seen = new Map();
    lastFlush = deps.now();
    if (announced.size > KNOWN_MAX) announced.clear();
    for (const worker of batch) announced.set(keyOf(worker), worker);
    try {
      await deps.workers.announce(batch);
    } catch (error) {
      deps.report.trouble('announcing tool workers failed', error);
    }
  }

  return {
    forget: (tenantId, workerId) => void seen.delete(keyOf({ tenantId, workerId })),
    withdraw: (tenantId, workerId) => {
      const key = keyOf({ tenantId, workerId });
      seen.delete(key);
      announced.delete(key);
      deps.workers.withdraw({ tenantId, workerId }).catch((error: unknown) => {
        deps.report.trouble('withdrawing a tool worker failed', error);
      });
    },
    note: (tenantId, { workerId, queues, filter = {}, host, version }) => {
      const worker: WorkerAnnouncement = {
        workerId,
        tenantId,
        kind: 'tool',
        role: null,
        queueTypes: queues,
        filter: announcedFilter(filter),
        version,
        host,
      };
      const before = seen.get(keyOf(worker));
      seen.set(keyOf(worker), before === undefined ? worker : bothOf(before, worker));
      const last = announced.get(keyOf(worker));
      const dueMs =
        last !== undefined && asksForMore(last, worker) ? NEWS_EVERY_MS : ANNOUNCE_EVERY_MS;
      if (last === undefined || deps.now() - lastFlush >= dueMs) void flush();
    },
  };
}

/** The queues of its build among the others. */
function announcedFilter(filter: ClaimFilter): ClaimFilter {
  if (!filter.buildId) return filter;
  return { tools: filter.tools ?? null, queueNames: queueNamesOf(filter) };
}

/** Whether it claims something that is not announced yet. */
function asksForMore(last: WorkerAnnouncement, now: WorkerAnnouncement): boolean {
  const known = mergeFilters(last.filter ?? {}, last.filter ?? {});
  const all = bothOf(last, now);
  return (
    filterKey(all.filter ?? {}) !== filterKey(known) ||
    all.queueTypes.length > last.queueTypes.length
  );
}

/** A worker with several kinds of claims serves all of them. */
function bothOf(before: WorkerAnnouncement, now: WorkerAnnouncement): WorkerAnnouncement {
  return {
    ...now,
    queueTypes: [...new Set([...before.queueTypes, ...now.queueTypes])],
    filter: mergeFilters(before.filter ?? {}, now.filter ?? {}),
  };
}

function keyOf(worker: Pick<WorkerAnnouncement, 'tenantId' | 'workerId'>): string {
  return `${worker.tenantId ?? ''}/${worker.workerId}`;
}
