import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';

import { releaseUnanswered } from '../../../../src/api/endpoints/work-items/release-unanswered.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { openTestStore } from '../../../support/stores.ts';

/* Answers to claims that did not reach their workers. */

const NODE = { kind: { type: 'python_fn', module: 'm', function: 'f' }, retry_policy: 'no_retry' };
const IR = { nodes: { only: NODE }, edges: [] };

interface Place {
  readonly host: TestEngine;
  readonly other: TestEngine;
  readonly age: (byMs: number) => Promise<void>;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (title: string, run: (t: ExecutionContext, place: Place) => Promise<void>): void =>
    test(`${dialect}: ${title}`, async (t) => {
      const { store, age, close } = await openTestStore(dialect);
      t.teardown(close);
      await run(t, {
        host: openTestEngine({ store }),
        other: openTestEngine({ store }),
        age: (byMs) => age({ table: 'work_leases', columns: ['expires_at'], byMs }),
      });
    });

  check(
    'another process answers a repeated claim, and the leases begin again',
    async (t, place) => {
      const { host, other, age } = place;
      const executionId = await host.start(IR);
      const claimId = randomUUID();
      const [lost] = await host.engine.claimWork(claimOf({ claimId }));
      await age(20_000);
      const repeated = await other.engine.claimWork(claimOf({ claimId, isRepeated: true }));
      t.deepEqual(
        repeated.map(({ leaseFence, attempt }) => [leaseFence, attempt]),
        [[lost?.leaseFence, 0]],
      );
      await age(20_000);
      await other.scheduling.reclaimLeases({ limit: 100 });
      await other.complete(repeated[0]);
      await other.settle();
      t.is((await host.story(executionId)).at(-1), 'WorkflowCompleted');
      t.deepEqual(await host.engine.claimWork(claimOf({ claimId, isRepeated: true })), []);
    },
  );

  check('a repeated claim gets what the first leased while both waited', async (t, place) => {
    const { host, other } = place;
    const claimId = randomUUID();
    const first = host.engine.claimWork(claimOf({ claimId, waitMs: 20_000 }));
    // Its filter matches no item.
    const repeated = other.engine.claimWork({
      ...claimOf({ claimId, isRepeated: true, waitMs: 3_000 }),
      filter: { tools: ['other.*'] },
    });
    await host.start(IR);
    const [lost] = await first;
    const [found] = await repeated;
    t.is(found?.leaseFence, lost?.leaseFence);
    t.truthy(found);
  });

  check('a worker that leaves before the answer uses no attempt', async (t, { host }) => {
    await host.start(IR);
    await host.start(IR);
    const caller = { tenantId: TENANT, actorId: 'token:test' };
    const leaving = new AbortController();
    for (const gone of [AbortSignal.abort(), leaving.signal]) {
      const claimed = await host.claim();
      t.is(claimed.length, 1);
      releaseUnanswered({ engine: host.deps, caller, claimed, gone });
      leaving.abort();
      await eventually(async () => {
        const [item] = claimed;
        const found = item && (await host.store.work.find(item.record.workItemId, TENANT));
        if (found?.place !== 'retrying') throw new Error(`still ${found?.place}`);
        t.is(found.releasedFence, item?.leaseFence ?? null);
      });
    }
    t.is(host.counts.get('items_released'), 2);
  });
}

function claimOf(of: {
  readonly claimId: string;
  readonly isRepeated?: boolean;
  readonly waitMs?: number;
}) {
  return {
    tenantId: TENANT,
    workerId: 'worker-1',
    queues: ['python_tool'] as const,
    maxItems: 1,
    waitMs: 0,
    signal: new AbortController().signal,
    host: 'localhost',
    version: '0.0.0',
    ...of,
  };
}
