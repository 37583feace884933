import test, { type ExecutionContext } from 'ava';

import { badRequest, SvcError } from '../../../../src/shared/domain/errors.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import type { StartExecution } from '../../../../src/shared/engine/executions/start-execution.ts';
import type { StartVerdict } from '../../../../src/shared/engine/executions/start-many.ts';
import { type Store, StoreUnavailableError } from '../../../../src/shared/store/store.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

const BY = { tenantId: TENANT, actorId: 'token:test' };
const IR = { nodes: { a: { kind: { type: 'python_fn', module: 'm', function: 'f' } } } };
const MANY = 1_000;

interface Host {
  readonly svc: TestEngine;
  /** The number of plans in each transaction so far. */
  readonly batches: number[];
  /** The workflows that the engine has looked up. */
  readonly lookups: string[];
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (title: string, run: (t: ExecutionContext, host: Host) => Promise<void>): void =>
    test(`${dialect}: ${title}`, async (t) => {
      const { store, close } = await openTestStore(dialect);
      t.teardown(close);
      const batches: number[] = [];
      const lookups: string[] = [];
      const svc = openTestEngine({ store: observe(store, { batches, lookups }) });
      await svc.engine.registerWorkflow({ ...BY, ir: { workflow_id: 'w', ...IR } });
      await run(t, { svc, batches, lookups });
      t.deepEqual(svc.troubles, []);
    });

  check('a thousand starts are a few transactions, and one lookup', async (t, host) => {
    const verdicts = await start(
      host,
      Array.from({ length: MANY }, (_, n) => entry({ input: { n }, idempotencyKey: `order-${n}` })),
    );
    const ids = verdicts.map(idOf);
    t.is(new Set(ids).size, MANY);
    t.is(await countExecutions(host), MANY);
    t.is(
      host.batches.reduce((sum, plans) => sum + plans, 0),
      MANY,
    );
    t.true(host.batches.length <= 10, `they were ${host.batches.join(', ')}`);
    t.deepEqual(host.lookups, ['w']);
    t.is((await host.svc.claim('worker-1', 50)).length, 50);
    const executionId = ids[700];
    if (executionId === undefined || executionId === null) throw new Error('it was not started');
    const { input } = (await host.svc.engine.readExecution({ ...BY, executionId })).state;
    t.deepEqual(input, { n: 700 });
  });

  check('entries that are wrong stop none of the others', async (t, host) => {
    const verdicts = await start(host, [
      entry(),
      () => {
        throw badRequest('not an entry');
      },
      entry({ workflowId: 'nobody' }),
      entry(),
    ]);
    t.deepEqual(verdicts.map(statusOf), [201, 400, 404, 201]);
    t.is(await countExecutions(host), 2);
  });

  check('a key starts one execution, in a batch and in its repetition', async (t, host) => {
    const batch = [
      entry({ idempotencyKey: 'k', input: { n: 1 } }),
      entry({ idempotencyKey: 'k', input: { n: 1 } }),
      entry({ idempotencyKey: 'k', input: { n: 2 } }),
      entry({ idempotencyKey: 'other', input: { n: 1 } }),
    ];
    const first = await start(host, batch);
    t.deepEqual(first.map(statusOf), [201, 201, 409, 201]);
    t.is(idOf(first[0]), idOf(first[1]));
    t.not(idOf(first[0]), idOf(first[3]));
    t.deepEqual(bodyOf(first[2]), { execution_id: idOf(first[0]) });
    const again = await start(host, batch);
    t.deepEqual(again.map(statusOf), [201, 201, 409, 201]);
    t.deepEqual([idOf(again[0]), idOf(again[3])], [idOf(first[0]), idOf(first[3])]);
    t.is(await countExecutions(host), 2);
  });

  check('a key whose entry is refused is left to the next entry with it', async (t, host) => {
    const verdicts = await start(host, [
      entry({ idempotencyKey: 'k', workflowId: 'nobody' }),
      entry({ idempotencyKey: 'k', workflowId: 'nobody' }),
      entry({ idempotencyKey: 'k' }),
      entry({ idempotencyKey: 'k', priority: 1 }),
      entry({ idempotencyKey: 'k' }),
    ]);
    t.deepEqual(verdicts.map(statusOf), [404, 404, 201, 409, 201]);
    t.is(idOf(verdicts[2]), idOf(verdicts[4]));
    t.is(await countExecutions(host), 1);
  });

  check('as many are started as the tenant may have, and the first ones', async (t, host) => {
    const limits = { max_concurrent_executions: 5 };
    const changes = { name: null, status: null, policy: null, limits };
    await host.svc.engine.updateTenant({ ...BY, changes });
    const keyed = (n: number) => entry({ idempotencyKey: `k-${n}` });
    t.deepEqual((await start(host, [keyed(0), keyed(1)])).map(statusOf), [201, 201]);
    // Two exist already, so three places remain for five.
    const verdicts = await start(host, [0, 1, 2, 3, 4, 5, 6].map(keyed));
    t.deepEqual(verdicts.map(statusOf), [201, 201, 201, 201, 201, 429, 429]);
    t.deepEqual(bodyOf(verdicts[5]), { limit: 'max_concurrent_executions', max: 5 });
    t.is(await countExecutions(host), 5);
  });

  test(`${dialect}: a store that goes away leaves each start its own verdict`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    let isAway = false;
    const svc = openTestEngine({
      store: {
        ...store,
        executions: {
          ...store.executions,
          commit: (plans) =>
            isAway
              ? Promise.reject(new StoreUnavailableError('away', { ambiguous: true }))
              : store.executions.commit(plans),
        },
      },
    });
    await svc.engine.registerWorkflow({ ...BY, ir: { workflow_id: 'w', ...IR } });
    const host = { svc, batches: [], lookups: [] };
    const batch = [entry({ idempotencyKey: 'a' }), entry({ workflowId: 'nobody' })];
    isAway = true;
    const [away, unknown] = await start(host, batch);
    t.true(away !== undefined && 'error' in away && away.error instanceof StoreUnavailableError);
    t.is(statusOf(unknown), 404);
    isAway = false;
    t.deepEqual((await start(host, batch)).map(statusOf), [201, 404]);
  });
}

function observe(store: Store, seen: Pick<Host, 'batches' | 'lookups'>): Store {
  return {
    ...store,
    executions: {
      ...store.executions,
      commit(plans) {
        seen.batches.push(plans.length);
        return store.executions.commit(plans);
      },
    },
    definitions: {
      ...store.definitions,
      latestId(of) {
        seen.lookups.push(of.workflowId);
        return store.definitions.latestId(of);
      },
    },
  };
}

function entry(more: Partial<StartExecution> & { readonly input?: JsonObject } = {}) {
  return (): StartExecution => ({
    workflowId: 'w',
    workflowVersion: null,
    input: {},
    priority: 5,
    idempotencyKey: null,
    ...more,
  });
}

function start({ svc }: Host, starts: readonly (() => StartExecution)[]) {
  return svc.engine.startMany({ ...BY, starts });
}

function statusOf(verdict: StartVerdict | undefined): number | null {
  if (verdict === undefined) return null;
  if ('executionId' in verdict) return 201;
  return verdict.error instanceof SvcError ? verdict.error.status : null;
}

function idOf(verdict: StartVerdict | undefined) {
  return verdict !== undefined && 'executionId' in verdict ? verdict.executionId : null;
}

function bodyOf(verdict: StartVerdict | undefined): JsonObject | null {
  const error = verdict !== undefined && 'error' in verdict ? verdict.error : null;
  return error instanceof SvcError ? error.body : null;
}

async function countExecutions({ svc }: Host): Promise<number> {
  const { executions } = svc.store;
  const rows = await executions.list({
    tenantId: TENANT,
    status: null,
    workflowId: 'w',
    createdAfter: null,
    createdBefore: null,
    cursor: null,
    limit: MANY + 1,
    offset: 0,
  });
  return rows.length;
}
