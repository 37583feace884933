import test from 'ava';

import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { SvcError } from '../../../../src/shared/domain/errors.ts';
import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';
import { KEPT_FOR_GOOD, openRetention } from './retention-scene.ts';

/* Retention removes an execution between any two readings of a retry or a fork of it. */

const by = { tenantId: TENANT, actorId: 'token:ops' };
const same = { statePatch: null, revision: 'same' } as const;
const THIRTY = { defaults: { ...KEPT_FOR_GOOD, failed: 30 } };
const FAILS: JsonObject = {
  start_node: 'a',
  nodes: {
    a: { kind: { type: 'pass' } },
    b: {
      kind: { type: 'python_fn', module: 'm', function: 'f' },
      retry_policy: 'no_retry',
    },
  },
  edges: [{ from: 'a', to: 'b' }],
};
const atNode = { nodeId: 'b', visit: null, items: 'all' } as const;
const ACTIONS: Readonly<
  Record<string, (svc: TestEngine, executionId: ExecutionId) => Promise<unknown>>
> = {
  retry: ({ engine }, executionId) => engine.retryExecution({ ...by, ...same, executionId }),
  fork: ({ engine }, executionId) =>
    engine.forkExecution({ ...by, ...same, executionId, at: atNode, idempotencyKey: null }),
  'preview of a fork': ({ engine }, executionId) =>
    engine.previewFork({ ...by, ...same, executionId, at: atNode }),
};
const READINGS = ['find', 'load', 'events', 'eventsBetween'] as const;

for (const dialect of ['sqlite', 'postgres'] as const) {
  for (const [name, act] of Object.entries(ACTIONS)) {
    test(`${dialect}: a ${name} of an execution that is removed meanwhile says so`, async (t) => {
      const database = await openTestStore(dialect);
      t.teardown(database.close);
      const { seal, age, run } = await openRetention(t, dialect, database);
      let untilReading = async () => undefined as void;
      const svc = openTestEngine({ store: watched(database.store, () => untilReading()) });
      const refusals: string[] = [];
      for (let place = 1, isRead = false; !isRead; place += 1) {
        const executionId = await svc.start(FAILS);
        await svc.settle();
        await svc.fail((await svc.claim())[0]);
        await svc.settle();
        t.is((await database.store.executions.find(executionId, TENANT))?.status, 'failed');
        await seal();
        await age(31);
        let readings = 0;
        // The first reading finds it: it is removed before a later one.
        untilReading = async () => {
          readings += 1;
          if (readings !== place + 1) return;
          t.like(await run(THIRTY), { executions: 1 });
        };
        const outcome = await act(svc, executionId).catch((error: unknown) => error);
        untilReading = async () => undefined;
        isRead = readings <= place;
        if (isRead) {
          t.false(outcome instanceof Error, String(outcome));
          break;
        }
        t.true(outcome instanceof SvcError, String(outcome));
        t.is((outcome as SvcError).status, 404);
        refusals.push((outcome as SvcError).message);
        t.is(
          refusals.at(-1),
          `not found: execution ${executionId}: retention removed it while it was read; ` +
            'start its workflow again, or import it from an archive',
        );
      }
      t.true(refusals.length >= 2);
      t.deepEqual(svc.troubles, []);
    });
  }
}

/** The store itself; `before` runs before each of its readings of executions. */
function watched(store: Store, before: () => Promise<void>): Store {
  const executions = { ...store.executions };
  for (const reading of READINGS) {
    const read = store.executions[reading] as (...args: readonly unknown[]) => Promise<unknown>;
    Object.assign(executions, {
      [reading]: async (...args: readonly unknown[]) => {
        await before();
        return read(...args);
      },
    });
  }
  return { ...store, executions };
}
