import test, { type ExecutionContext } from 'ava';

import { type ClaimedItem, StoreUnavailableError } from '../../../../src/shared/store/store.ts';
import { handOutAll } from '../../../../src/shared/engine/work/hand-out-items.ts';
import { openTestEngine, TENANT, type TestEngine } from '../../../support/engine.ts';
import { openTestStore } from '../../../support/stores.ts';

/* A worker settles an item and claims the next one in a single request. */

const WORK = { kind: { type: 'python_fn', module: 'm', function: 'f' } };
const CHAIN = { nodes: { a: WORK, b: WORK }, edges: [{ from: 'a', to: 'b' }] };
/** The output of `a` is part of the input of `b`. */
const HANDED_ON = { ...CHAIN, nodes: { a: { ...WORK, output_key: 'a' }, b: WORK } };
const LARGE = { page: 'x'.repeat(100_000) };
const FUNCTION = { nodes: { only: { kind: { type: 'function', name: 'f' } } }, edges: [] };

interface Place {
  readonly host: TestEngine;
  readonly faults: Faults;
  /** The number of claims that have read the queues. */
  readonly looks: () => number;
}

interface Faults {
  /** Whether the content of artifacts can't be read. */
  hasArtifacts: boolean;
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const check = (title: string, run: (t: ExecutionContext, place: Place) => Promise<void>): void =>
    test(`${dialect}: ${title}`, async (t) => {
      const { store, close } = await openTestStore(dialect);
      t.teardown(close);
      let looks = 0;
      const claimTogether: typeof store.work.claimTogether = (params) => {
        looks += 1;
        return store.work.claimTogether(params);
      };
      const work = { ...store.work, claimTogether };
      const faults: Faults = { hasArtifacts: true };
      const find: typeof store.artifacts.find = async (params) => {
        if (!faults.hasArtifacts)
          throw new StoreUnavailableError('no artifacts', { ambiguous: false });
        return store.artifacts.find(params);
      };
      const artifacts = { ...store.artifacts, find };
      const host = openTestEngine({ store: { ...store, work, artifacts } });
      await run(t, { host, faults, looks: () => looks });
      t.deepEqual(host.troubles, []);
    });

  check('the next item of a chain is leased to the claim, without a look', async (t, place) => {
    const { host, looks } = place;
    const id = await host.start(CHAIN);
    const [a] = await host.engine.claimWork(claimOf({}));
    t.deepEqual(await host.engine.claimWork(claimOf({})), []);
    const before = looks();
    const [b] = await host.engine.claimWork(claimOf({ carries: () => host.complete(a) }));
    t.is(b?.record.nodeId, 'b');
    t.deepEqual(await host.engine.claimWork(claimOf({ carries: () => host.complete(b) })), []);
    t.is(looks(), before);
    t.is((await host.story(id)).at(-1), 'WorkflowCompleted');
  });

  check('the next item does not overtake one that waits on the queue', async (t, { host }) => {
    const first = await host.start(CHAIN);
    const [a] = await host.engine.claimWork(claimOf({}));
    const second = await host.start(CHAIN);
    const [next] = await host.engine.claimWork(claimOf({ carries: () => host.complete(a) }));
    t.is(next?.record.executionId, second);
    const [then] = await host.engine.claimWork(claimOf({}));
    t.is(then?.record.executionId, first);
  });

  check(
    'a claim that carries nothing looks when it asks for an answer at once',
    async (t, place) => {
      const { host, looks } = place;
      await host.engine.claimWork(claimOf({}));
      const before = looks();
      await host.engine.claimWork(claimOf({}));
      t.is(looks(), before + 1);
    },
  );

  check(
    'a long poll on an empty queue waits without a look, and gets a start',
    async (t, place) => {
      const { host, looks } = place;
      await host.engine.claimWork(claimOf({}));
      const before = looks();
      const { waitingClaims } = host.deps;
      const open = waitingClaims.open.bind(waitingClaims);
      const { promise: looksBefore, resolve } = Promise.withResolvers<number>();
      waitingClaims.open = (claim) => {
        resolve(looks());
        return open(claim);
      };
      const claimed = host.engine.claimWork(claimOf({ waitMs: 20_000 }));
      t.is(await looksBefore, before);
      const id = await host.start(CHAIN);
      const [item] = await claimed;
      t.is(item?.record.executionId, id);
    },
  );

  check('the items of a repeated claim come after its reports are served', async (t, { host }) => {
    await host.start(CHAIN);
    await host.start(CHAIN);
    const [a] = await host.engine.claimWork(claimOf({}));
    const claimId = 'a3bb189e-8bf9-4888-9912-ace4e6543002';
    const [lost] = await host.engine.claimWork(claimOf({ claimId }));
    const claim = claimOf({ claimId, isRepeated: true, carries: () => host.complete(a) });
    const [again] = await host.engine.claimWork(claim);
    t.is(again?.leaseFence, lost?.leaseFence);
    t.is(host.counts.get('items_completed'), 1);
  });

  check('a claim keeps the items that it found when another one fails', async (t, place) => {
    const { host, faults } = place;
    await host.start(HANDED_ON);
    const [a] = await host.engine.claimWork(claimOf({}));
    const waiting = await host.start(CHAIN);
    const carries = async () => {
      await host.complete(a, { output: LARGE });
      faults.hasArtifacts = false;
    };
    const claimed = await host.engine.claimWork(claimOf({ maxItems: 2, carries }));
    t.deepEqual(
      claimed.map(({ record }) => record.executionId),
      [waiting],
    );
    t.regex(String(host.troubles.splice(0)), /handing out an item failed: .*no artifacts/);
  });

  check(
    'a claim that found nothing fails, and gets the item when it is repeated',
    async (t, place) => {
      const { host, faults } = place;
      await host.start(HANDED_ON);
      const [a] = await host.engine.claimWork(claimOf({}));
      const claim = claimOf({ claimId: 'a3bb189e-8bf9-4888-9912-ace4e6543002' });
      const carries = async () => {
        await host.complete(a, { output: LARGE });
        faults.hasArtifacts = false;
      };
      t.deepEqual(await host.engine.claimWork(claimOf({})), []);
      await t.throwsAsync(host.engine.claimWork({ ...claim, carries }), {
        message: 'no artifacts',
      });
      faults.hasArtifacts = true;
      const [b] = await host.engine.claimWork({ ...claim, isRepeated: true });
      t.is(b?.record.nodeId, 'b');
    },
  );

  check('a function that is over is not handed out', async (t, { host }) => {
    await host.start(FUNCTION);
    const items: ClaimedItem[] = [];
    const { workerLeases } = host.deps;
    const claim = workerLeases.claim.bind(workerLeases);
    workerLeases.claim = async (call) => {
      const claimed = await claim(call);
      items.push(...claimed);
      return claimed;
    };
    const [item] = await host.engine.claimWork(claimOf({ queues: ['function'] }));
    await host.complete(item);
    t.is(items.length, 1);
    t.deepEqual(await handOutAll(host.deps, items), { claimed: [], failures: [] });
  });
}

type Claim = Parameters<TestEngine['engine']['claimWork']>[0];

function claimOf(changes: Partial<Claim>): Claim {
  return {
    tenantId: TENANT,
    workerId: 'worker-1',
    queues: ['python_tool'],
    maxItems: 1,
    waitMs: 0,
    signal: new AbortController().signal,
    host: 'localhost',
    version: '0.0.0',
    ...changes,
  };
}
