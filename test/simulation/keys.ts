import type { KeyOf } from '../invariants/checks/check-concurrency.ts';
import type { WorkflowName } from './workflows.ts';

const keyOf = (token: string): string => `${token.endsWith('0')}`;

/** The keys of concurrency in the workflows, as the checker knows them. */
export const KEYS: Readonly<Partial<Record<WorkflowName, KeyOf>>> = {
  queued: { limit: 2, whenFull: 'queue', keyOf },
  refusing: { limit: 2, whenFull: 'refuse', keyOf },
  latest: { limit: 1, whenFull: 'cancel_oldest', keyOf },
  latest_two: { limit: 2, whenFull: 'cancel_oldest', keyOf },
};
