import { admitsItem } from '../../domain/work/claim-filter.ts';
import type { QueueDepth } from '../../store/readings/work-overview.ts';
import type { WorkerRow } from '../../store/store.ts';
import type { Reader } from '../caller.ts';
import type { EngineDeps } from '../deps.ts';

/** The most rows that each kind of reading looks at, however long a queue is. */
const ROWS_MAX = 20_000;

export interface ServedQueue extends QueueDepth {
  /** Ids of the workers that claim such items; empty: nobody serves them. */
  readonly servedBy: readonly string[];
}

export interface QueuesView {
  readonly queues: readonly ServedQueue[];
  /** False: there is more than was counted. */
  readonly isExact: boolean;
}

/** The queues of the tenant by tool, with the workers that serve each. */
export async function readQueues({ store }: EngineDeps, { tenantId }: Reader): Promise<QueuesView> {
  const [{ queues, isExact }, { workers }] = await Promise.all([
    store.workOverview.readQueues({ tenantId, rowsMax: ROWS_MAX }),
    store.workers.list({ tenantId, leasesMax: 0 }),
  ]);
  return {
    queues: queues.map((queue) => ({ ...queue, servedBy: serversOf(queue, workers) })),
    isExact,
  };
}

function serversOf(
  { queue, queueName, tool }: QueueDepth,
  workers: readonly WorkerRow[],
): readonly string[] {
  const item = { tool, ...(queueName !== null && { queueName }) };
  return workers
    .filter(
      ({ kind, queueTypes, filter }) =>
        kind === 'tool' && queueTypes.includes(queue) && admitsItem(filter, item),
    )
    .map(({ workerId }) => workerId);
}
