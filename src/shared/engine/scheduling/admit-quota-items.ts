import { type QuotaQueue, readQuotaQueue } from '../../domain/work/quota.ts';
import type { Wake } from '../../ports/wake.ts';
import type { CommitPlan } from '../../store/commit.ts';
import type { QuotaStore } from '../../store/quotas.ts';
import { QUOTAS_TOPIC } from '../wake/wake-bus.ts';
import { topicOfKey } from '../wake/wake-for.ts';
import type { EngineReport } from '../report.ts';
import { createQuotaTurns, type Turn } from './quota-turns.ts';
import type { RoundResult } from './round-result.ts';

/**
 * Gives places and tokens of quotas to items that wait for one. The rows of the queue are
 * authoritative. Hints avoid delays: a process sends one when it puts an item below a quota, and when
 * it ends an item of a tenant with items known to wait for a place. So tenants without quotas cost
 * nothing here.
 */
export interface QuotaAdmission {
  /** Called after an accepted commit. */
  note(commit: CommitPlan): void;
  round(): Promise<QuotaRound>;
}

export interface QuotaRound extends RoundResult {
  /** When to look again without a hint; null: nothing waits. */
  readonly lookInMs: number | null;
}

/** Queues looked at in a round; the next round continues after them. */
const QUEUES_MAX = 500;
/** Items of one queue that move by one statement. */
const ADMITTED_MAX = 200;
/** A look at items that wait for a place, if the hint of its end is lost. */
const PLACE_LOOK_MS = 250;

export function createQuotaAdmission(deps: {
  readonly quotas: QuotaStore;
  readonly wake: Pick<Wake, 'notify'>;
  readonly report: Pick<EngineReport, 'count'>;
  readonly now: () => number;
}): QuotaAdmission {
  const turns = createQuotaTurns(deps.now);
  let waiting: ReadonlySet<string> = new Set();
  let last: string | null = null;

  return {
    note(commit) {
      if (waiting.has(commit.tenantId) && endsItems(commit)) deps.wake.notify([QUOTAS_TOPIC]);
    },

    async round() {
      const from = last;
      const keys = await deps.quotas.listWaiting({ after: from, limit: QUEUES_MAX });
      const more = keys.length >= QUEUES_MAX;
      last = more ? (keys.at(-1) ?? null) : null;
      const queues = keys.flatMap((key) => readQuotaQueue(key) ?? []);
      const tenants = queues.flatMap((queue) => (queue.limit === null ? [] : tenantOf(queue)));
      waiting = new Set(from === null ? tenants : [...waiting, ...tenants]);
      let found = 0;
      let lookInMs = Infinity;
      for (const turn of turns.order(queues)) {
        const emptyMs = turns.emptyMs(turn.queue);
        const answer = emptyMs > 0 ? { count: 0, lookInMs: emptyMs } : await admit(turn);
        found += answer.count;
        lookInMs = Math.min(lookInMs, answer.lookInMs);
        deps.report.count('quota_items_admitted', answer.count);
        if (answer.count > 0) deps.wake.notify([topicOfKey(turn.queue.served)]);
      }
      const isFull = found > 0 && lookInMs === 0;
      return { found, more: more || isFull, lookInMs: queues.length === 0 ? null : lookInMs };
    },
  };

  async function admit({ queue, sharers }: Turn) {
    const { bucket, limit } = queue;
    if (turns.isHeldBack(queue)) return { count: 0, lookInMs: PLACE_LOOK_MS };
    if (bucket === null) {
      const places = { ...queue, limit: limit ?? 0 };
      const atMost = shareOf(places.limit, sharers);
      const { length: count } = await deps.quotas.admit(places, { atMost });
      if (count > 0) turns.noteServed(queue);
      else turns.noteFull(queue);
      return { count, lookInMs: count === atMost && sharers > 1 ? 0 : PLACE_LOOK_MS };
    }
    const atMost = shareOf(bucket.burst, sharers);
    const { admitted, nextTokenMs } = await deps.quotas.admitAtRate(
      { ...queue, bucket },
      { atMost },
    );
    const { length: count } = admitted;
    turns.noteEmpty(queue, nextTokenMs);
    if (count > 0) turns.noteServed(queue);
    if (nextTokenMs > 0) return { count, lookInMs: nextTokenMs };
    if (count === 0 && limit !== null) turns.noteFull(queue);
    return { count, lookInMs: count === atMost ? 0 : PLACE_LOOK_MS };
  }
}

/** So many of them one queue takes in a round. */
function shareOf(all: number, sharers: number): number {
  return Math.min(ADMITTED_MAX, Math.max(1, Math.floor(all / sharers)));
}

function tenantOf({ waiting }: QuotaQueue): string {
  return waiting.slice(0, waiting.indexOf('/'));
}

function endsItems({ settles, revokesItems, revokesAll }: CommitPlan): boolean {
  return settles.length > 0 || revokesItems.length > 0 || revokesAll;
}
