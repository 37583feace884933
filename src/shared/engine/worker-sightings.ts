import type { TenantId } from '../domain/ids.ts';
import type { WorkerAnnouncement, WorkerStore } from '../store/store.ts';
import type { EngineReport } from './deps.ts';

/** How often a busy worker is announced again; well below the 60 s after which it counts as gone. */
const ANNOUNCE_EVERY_MS = 15_000;
/** Worker ids are the callers' choice: bounded, or a caller could fill the memory. */
const KNOWN_MAX = 10_000;

/** The tool workers that claim through this process, announced together in one statement. */
export interface WorkerSightings {
  note(worker: {
    readonly tenantId: TenantId;
    readonly workerId: string;
    readonly queues: readonly string[];
    readonly host: string;
    readonly version: string;
  }): void;
}

export function createWorkerSightings(deps: {
  readonly workers: Pick<WorkerStore, 'announce'>;
  readonly report: EngineReport;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}): WorkerSightings {
  const announcedAt = new Map<string, number>();
  let seen = new Map<string, WorkerAnnouncement>();
  let lastFlush = -Infinity;

  async function flush(): Promise<void> {
    const batch = [...seen.values()];
    seen = new Map();
    lastFlush = deps.now();
    if (announcedAt.size > KNOWN_MAX) announcedAt.clear();
    for (const worker of batch) announcedAt.set(keyOf(worker), lastFlush);
    try {
      await deps.workers.announce(batch);
    } catch (error) {
      deps.report.trouble('announcing tool workers failed', error);
    }
  }

  return {
    note: ({ tenantId, workerId, queues, host, version }) => {
      const worker: WorkerAnnouncement = {
        workerId,
        tenantId,
        kind: 'tool',
        role: null,
        queueTypes: queues,
        version,
        host,
      };
      seen.set(keyOf(worker), worker);
      const isNew = !announcedAt.has(keyOf(worker));
      if (isNew || deps.now() - lastFlush >= ANNOUNCE_EVERY_MS) void flush();
    },
  };
}

function keyOf(worker: WorkerAnnouncement): string {
  return `${worker.tenantId ?? ''}/${worker.workerId}`;
}
