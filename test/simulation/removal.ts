import { createAuditSealing } from '../../src/shared/engine/audit/audit-sealing.ts';
import {
  runRetention,
  type RetentionResult,
  type RetentionRun,
} from '../../src/shared/engine/retention/run-retention.ts';
import type { Timers } from '../../src/shared/engine/scheduling/timers.ts';
import type { Ids } from '../../src/shared/ports/ids.ts';
import type { Store } from '../../src/shared/store/store.ts';
import type { KeptDays } from '../invariants/checks/check-retired.ts';

/** Seals the audit log as far as possible, then does what `svc retention run` does. */
export type Removal = (params: {
  readonly actorId: string;
  readonly batchMax: number;
}) => Promise<Pick<RetentionResult, 'executions' | 'events'>>;

export function createRemoval(deps: {
  readonly store: Store;
  readonly ids: Ids;
  readonly timers: Timers;
  readonly keptDays: KeptDays | null;
  readonly archive: Pick<RetentionRun, 'archive'>;
}): Removal {
  const { store, ids, timers, keptDays, archive } = deps;
  const rest = (ms: number) => new Promise<void>((resolve) => void timers.after(ms, resolve));
  return async (asked) => {
    if (keptDays === null) return { executions: 0, events: 0 };
    await createAuditSealing(store, { now: () => 0 }).round();
    return runRetention(
      { store: store.retention, ids, now: () => timers.now(), rest },
      {
        ...asked,
        ...archive,
        tenantId: null,
        workflowId: null,
        status: null,
        olderThanMs: null,
        defaults: keptDays,
        replayMs: null,
        isOver: () => false,
      },
    );
  };
}
