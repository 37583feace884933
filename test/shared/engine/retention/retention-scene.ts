import type { ExecutionContext } from 'ava';

import type { ExecutionId, TenantId } from '../../../../src/shared/domain/ids.ts';
import {
  verifyAudit,
  type AuditVerdict,
} from '../../../../src/shared/engine/audit/verify-audit.ts';
import {
  runRetention,
  type RetentionResult,
  type RetentionRun,
} from '../../../../src/shared/engine/retention/run-retention.ts';
import type { AuditStore } from '../../../../src/shared/store/audit.ts';
import { openPostgresStore } from '../../../../src/shared/store/postgres/open.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { ids } from '../../../../src/runtime/ids.ts';
import type { Dialect } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTestStore, type TestStore } from '../../../support/stores.ts';
import { commitOne, start, type Started } from '../../store/contract/drive.ts';
import { makeEvent, makePlan, makeTenantId } from '../../store/contract/make.ts';

export interface RetentionScene {
  readonly database: TestStore;
  readonly store: Store;
  readonly audit: AuditStore;
  readonly tenantId: TenantId;
  /** Seals everything. */
  readonly seal: () => Promise<void>;
  /** Moves the start and end of all executions this many days into the past. */
  readonly age: (days: number) => Promise<void>;
  readonly run: (changes?: Partial<RetentionRun>) => Promise<RetentionResult>;
  readonly verify: () => Promise<AuditVerdict>;
}

export const KEPT_FOR_GOOD = { completed: 0, failed: 0, cancelled: 0 };
const DAY_MS = 86_400_000;
const ENDS = {
  completed: 'WorkflowCompleted',
  failed: 'WorkflowFailed',
  cancelled: 'WorkflowCancelled',
} as const;

export async function openRetentionScene(
  t: ExecutionContext,
  dialect: Dialect,
): Promise<RetentionScene> {
  const database = await openTestStore(dialect);
  t.teardown(database.close);
  return openRetention(t, dialect, database);
}

/** Retention on a store of the caller's. */
export async function openRetention(
  t: ExecutionContext,
  dialect: Dialect,
  database: TestStore,
): Promise<RetentionScene> {
  const { store, url } = database;
  const sealer =
    dialect === 'sqlite'
      ? null
      : await openPostgresStore({ url, poolSize: 1, maxOverflow: 0, audit: { finalMs: 0 } });
  t.teardown(async () => sealer?.close());
  const audit = sealer?.audit ?? store.audit;
  return {
    database,
    store,
    audit,
    tenantId: makeTenantId(),
    seal: () => sealAll(audit),
    age: (days) =>
      database.age({
        table: 'executions',
        columns: ['created_at', 'updated_at', 'completed_at'],
        byMs: days * DAY_MS,
      }),
    run: (changes = {}) =>
      runRetention(
        { store: store.retention, ids, now: () => 0, rest: async () => undefined },
        {
          tenantId: null,
          workflowId: null,
          status: null,
          olderThanMs: null,
          defaults: KEPT_FOR_GOOD,
          actorId: 'system:cli',
          batchMax: 100,
          replayMs: null,
          isOver: () => false,
          ...changes,
        },
      ),
    verify: () => verifyAudit(audit, { tenantId: null, expected: null }),
  };
}

/** An ended execution with three events. */
export async function startEnded(
  store: Store,
  options: Parameters<typeof start>[1] & {
    readonly status?: 'completed' | 'failed' | 'cancelled';
    readonly continuedAs?: ExecutionId;
  } = {},
): Promise<Started> {
  const execution = await start(store, options);
  await end(store, execution, options);
  return execution;
}

export async function end(
  store: Store,
  execution: Started,
  options: {
    readonly status?: 'completed' | 'failed' | 'cancelled';
    readonly continuedAs?: ExecutionId;
  } = {},
): Promise<void> {
  const { status = 'completed', continuedAs } = options;
  const payload = continuedAs === undefined ? {} : { continued_as: continuedAs };
  await commitOne(
    store,
    makePlan(execution, {
      events: [
        makeEvent(),
        makeEvent({
          kind: ENDS[status],
          nodeId: null,
          payload: JSON.stringify(payload),
        }),
      ],
      status,
      error: status === 'failed' ? 'boom' : null,
      revokesAll: true,
      runnable: 'clear',
    }),
  );
}

/** The indexes of those executions that still exist. */
export async function present(
  store: Store,
  executions: readonly Started[],
): Promise<readonly number[]> {
  const rows = await Promise.all(
    executions.map(({ executionId }) => store.executions.find(executionId, null)),
  );
  return rows.flatMap((row, index) => (row === null ? [] : [index]));
}

/** The current millisecond is never sealed, so this polls. */
export async function sealAll(audit: AuditStore): Promise<void> {
  const begun = Date.now();
  await eventually(() => {
    if (Date.now() <= begun) throw new Error('the clock stands still');
  });
  await eventually(async () => {
    await audit.seal({ itemsMax: 1_000, lagMs: 0 });
    const windows = await audit.windows({ after: 0, limit: 10_000 });
    const coversFrom = windows.at(-1)?.coversTo ?? '1970-01-01T00:00:00.000Z';
    const coversTo = '2999-01-01T00:00:00.000Z';
    const left = await audit.sealable({ coversFrom, coversTo, tenantId: null });
    if (left.length > 0) throw new Error('not everything is sealed');
  });
}
