import { readQuotaQueue } from '../../domain/work/quota.ts';
import type { Wake } from '../../ports/wake.ts';
import type { CommitPlan } from '../../store/commit.ts';
import type { QuotaStore } from '../../store/quotas.ts';
import { QUOTAS_TOPIC } from '../wake/wake-bus.ts';
import { topicOfKey } from '../wake/wake-for.ts';
import type { EngineReport } from '../report.ts';
import type { AdmissionRound } from './admit-children.ts';

/**
 * Gives places of quotas to items that wait for one. The rows of the queue are authoritative. Hints
 * avoid delays: a process sends one when it puts an item below a quota, and when it ends an item of a
 * tenant with items known to wait. So tenants without quotas cost nothing here.
 */
export interface QuotaAdmission {
  /** Called after an accepted commit. */
  note(commit: CommitPlan): void;
  round(): Promise<AdmissionRound>;
}

/** Queues looked at in a round; the next round continues after them. */
const QUEUES_MAX = 500;
/** Items of one queue that move by one statement. */
const ADMITTED_MAX = 200;

export function createQuotaAdmission(deps: {
  readonly quotas: QuotaStore;
  readonly wake: Wake;
  readonly report: Pick<EngineReport, 'count'>;
}): QuotaAdmission {
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
      const tenants = keys.map((key) => key.slice(0, key.indexOf('/')));
      waiting = new Set(from === null ? tenants : [...waiting, ...tenants]);
      let found = 0;
      for (const queue of keys.map(readQuotaQueue)) {
        if (queue === null) continue;
        const admitted = await deps.quotas.admit(queue, { atMost: ADMITTED_MAX });
        found += admitted.length;
        deps.report.count('quota_items_admitted', admitted.length);
        if (admitted.length > 0) deps.wake.notify([topicOfKey(queue.served)]);
      }
      return { found, more, isWaiting: waiting.size > 0 };
    },
  };
}

function endsItems({ settles, revokesItems, revokesAll }: CommitPlan): boolean {
  return settles.length > 0 || revokesItems.length > 0 || revokesAll;
}
