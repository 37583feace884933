import { ownQueueName } from '../../domain/work/quota.ts';
import type { WorkerQueue } from '../../domain/work/work-item.ts';
import type { QueueDepth, QueueDepths } from '../readings/work-overview.ts';

/** The count of one reading, for a queue and tool. */
export interface CountedItems {
  readonly what: 'waiting' | 'leased' | 'failed';
  readonly queue: WorkerQueue;
  readonly queue_name: string | null;
  readonly tool: string;
  readonly items: number;
  /** When the first of them came; only of waiting ones. */
  readonly oldest_at: string | null;
}

/** A reading that counted more than `rowsMax` items was cut off. */
export function gatherDepths(rows: readonly CountedItems[], rowsMax: number): QueueDepths {
  const queues = new Map<string, QueueDepth>();
  const totals = { waiting: 0, leased: 0, failed: 0 };
  for (const { what, items, oldest_at: oldestAt, ...row } of rows) {
    totals[what] += items;
    const of = { queue: row.queue, queueName: ownQueueName(row.queue_name), tool: row.tool };
    const key = JSON.stringify(Object.values(of));
    const known = queues.get(key) ?? { ...of, waiting: 0, oldestAt: null, leased: 0, failed: 0 };
    queues.set(key, {
      ...known,
      [what]: known[what] + items,
      oldestAt: earlier(oldestAt, known.oldestAt),
    });
  }
  return {
    queues: [...queues.values()].toSorted(compareDepths),
    isExact: Object.values(totals).every((total) => total <= rowsMax),
  };
}

function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

function compareDepths(one: QueueDepth, other: QueueDepth): number {
  return other.waiting - one.waiting || compareTexts(one.tool, other.tool);
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
