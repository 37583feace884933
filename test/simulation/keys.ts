import type { GivenRules } from '../../src/shared/domain/workflow/flow/given-rules.ts';
import type { KeyOf } from '../invariants/checks/check-concurrency.ts';
import type { StartRule } from '../invariants/checks/check-starts.ts';
import type { ShareOf } from '../invariants/checks/check-turns.ts';
import { FAIRNESS, type WorkflowName } from './workflows.ts';

const keyOf = (token: string): string => `${token.endsWith('0')}`;

/** The keys of concurrency in the workflows, as the checker knows them. */
export const KEYS: Readonly<Partial<Record<WorkflowName, KeyOf>>> = {
  queued: { limit: 2, whenFull: 'queue', keyOf },
  refusing: { limit: 2, whenFull: 'refuse', keyOf },
  latest: { limit: 1, whenFull: 'cancel_oldest', keyOf },
  latest_two: { limit: 2, whenFull: 'cancel_oldest', keyOf },
  deadlined: { limit: 1, whenFull: 'queue', keyOf },
  throttled_one: { limit: 1, whenFull: 'queue', keyOf },
  gathering_one: { limit: 1, whenFull: 'queue', gathers: true, keyOf },
};

/** When executions of the workflows begin, as the checker knows it. */
export const START_RULES: Readonly<Partial<Record<WorkflowName, StartRule>>> = {
  delayed: { afterMs: 80, keyOf },
  deadlined: { keyOf },
  throttled: { rate: { intervalMs: 200, burst: 1 }, keyOf },
  throttled_one: { rate: { intervalMs: 200, burst: 1 }, keyOf },
  gathering: { batch: { max: 3, waitMs: 120 }, keyOf },
  gathering_one: { batch: { max: 2, waitMs: 200 }, keyOf },
  settling: { debounce: { waitMs: 120, maxWaitMs: 300 }, keyOf },
};

const shareOf: ShareOf = (token) => {
  if (token.endsWith('1')) return { key: 'gold', weight: 3 };
  return token.endsWith('2') ? { key: 'slow', weight: 0.5 } : { key: 'plain', weight: 1 };
};

/** The rules that the starts of workflows bring. */
export const GIVEN_RULES: Readonly<Partial<Record<string, GivenRules>>> = {
  fair_starts: { fairness: FAIRNESS },
};

/** The keys of fairness in the workflows, as the checker knows them. */
export const SHARES: Readonly<Partial<Record<WorkflowName, ShareOf>>> = {
  fair: shareOf,
  fair_limited: shareOf,
  fair_paced: shareOf,
  fair_starts: shareOf,
  fair_durable: shareOf,
  fair_pinned: shareOf,
};
