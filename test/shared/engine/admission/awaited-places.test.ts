import test from 'ava';

import { DEFAULT_TENANT, type TenantId } from '../../../../src/shared/domain/ids.ts';
import { createAdmission } from '../../../../src/shared/engine/admission/admission.ts';
import { createAwaitedPlaces } from '../../../../src/shared/engine/admission/awaited-places.ts';
import { connectRemoteWake, createWakeBus } from '../../../../src/shared/engine/wake/wake-bus.ts';
import type { CommitPlan } from '../../../../src/shared/store/commit.ts';
import { openTestStore } from '../../../support/stores.ts';
import { start } from '../../store/contract/drive.ts';
import { makePlan } from '../../store/contract/make.ts';

/* A process announces the ends that make room for somebody, wherever those wait. */

const TENANT = DEFAULT_TENANT;
const OTHER = 'other' as TenantId;
const LINE = { tenantId: TENANT, workflowId: 'w', hasBegun: false };

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a process announces ends of a workflow whose executions wait, and no others`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const [looks, ends] = [await openProcess(), await openProcess()];
    const awaitsPlace = { placeKey: '["w","k"]', placesMax: 1 };
    const first = await start(store, { tenantId: TENANT, create: { awaitsPlace } });
    const ended = makePlan(first, { status: 'completed' });
    const [here, there] = [looks, ends].map(({ bus, clock }) =>
      createAdmission({
        places: store.places,
        flow: store.flow,
        batchBytesMax: 1_000,
        wake: bus,
        report: { count: () => undefined, observe: () => undefined },
        now: () => clock.ms,
      }),
    );
    if (here === undefined || there === undefined) return t.fail('two processes were opened');
    const endsThere = (commit: CommitPlan, workflowId: string) => {
      ends.sent.length = 0;
      there.note(commit, workflowId);
      return ends.sent.flat();
    };
    const commits = { cancelSurplus: async () => undefined, closeBatch: noBatch };
    // The first begins at once, so nobody is said to wait.
    t.is((await here.round(commits)).found, 1);
    ends.receive(looks.sent.flat());
    await settled();
    t.deepEqual(endsThere(ended, 'w'), []);
    await start(store, { tenantId: TENANT, create: { awaitsPlace } });
    t.like(await here.round(commits), { found: 0, isWaiting: true });
    ends.receive(looks.sent.flat());
    await settled();
    t.deepEqual(endsThere(ended, 'w'), ['places']);
    t.deepEqual(endsThere(ended, 'v'), []);
    t.deepEqual(endsThere({ ...ended, tenantId: OTHER }, 'w'), []);
    t.deepEqual(endsThere({ ...ended, status: 'paused' }, 'w'), []);
    ends.clock.ms += 30_000;
    t.deepEqual(endsThere(ended, 'w'), []);
  });

  test(`${dialect}: no end is announced for those who wait for a time alone`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const { bus, sent, clock } = await openProcess();
    const admission = createAdmission({
      places: store.places,
      flow: store.flow,
      batchBytesMax: 1_000,
      wake: bus,
      report: { count: () => undefined, observe: () => undefined },
      now: () => clock.ms,
    });
    const batch = { waitMs: 60_000, bytes: 1 };
    const awaitsPlace = { placeKey: '["w","k"]', placesMax: 3, batch };
    const first = await start(store, { tenantId: TENANT, create: { awaitsPlace } });
    const { create } = makePlan(first, {});
    admission.note({ ...makePlan(first, {}), create: { ...create, awaitsPlace } as never }, 'w');
    const commits = { cancelSurplus: async () => undefined, closeBatch: noBatch };
    t.like(await admission.round(commits), { found: 0, isWaiting: true, isPart: false });
    t.deepEqual(sent.flat(), ['places']);
    sent.length = 0;
    admission.note(makePlan(first, { status: 'completed' }), 'w');
    t.deepEqual(sent.flat(), []);
  });
}

test('those who wait for any place of their tenant, wait for each end in it', async (t) => {
  const { awaited, receive } = await openProcess();
  receive([`waits\t${TENANT}`]);
  await settled();
  t.true(awaited.has({ tenantId: TENANT, workflowId: 'w' }));
  t.true(awaited.has({ tenantId: TENANT, workflowId: null }));
  t.false(awaited.has({ tenantId: OTHER, workflowId: 'w' }));
});

test('looks say who waits once a second, and those who are new at once', async (t) => {
  const { awaited, sent, clock } = await openProcess();
  awaited.see([LINE]);
  awaited.see([LINE]);
  t.deepEqual(sent, [['waits\tdefault/w']]);
  awaited.see([LINE, { ...LINE, workflowId: 'v' }]);
  t.deepEqual(sent.slice(1), [['waits\tdefault/w', 'waits\tdefault/v']]);
  clock.ms += 1_000;
  awaited.see([LINE]);
  t.is(sent.length, 3);
});

test('the others hear that anybody may wait when very many do, and not from a break', async (t) => {
  const { awaited, sent, receive } = await openProcess();
  awaited.see(Array.from({ length: 101 }, (_, n) => ({ ...LINE, workflowId: `w${n}` })));
  t.deepEqual(sent, [['waits']]);
  await settled();
  awaited.see([]);
  receive(['*']);
  await settled();
  // It asks who waits.
  t.deepEqual(sent.slice(1), [['places']]);
  t.false(awaited.has({ tenantId: OTHER, workflowId: 'w' }));
  receive(['waits']);
  await settled();
  t.true(awaited.has({ tenantId: OTHER, workflowId: 'w' }));
});

test('a message about waits wakes no listener to everything', async (t) => {
  const { bus, receive } = await openProcess();
  let woken = 0;
  bus.subscribe('*', () => void (woken += 1));
  receive(['waits\tdefault/w', 'waits']);
  await settled();
  t.is(woken, 0);
  receive(['waits', 'timers']);
  await settled();
  t.is(woken, 1);
});

/** A process of a cluster: what it sends, and a way to let it hear something. */
async function openProcess() {
  const bus = createWakeBus();
  const sent: (readonly string[])[] = [];
  let hear: (topics: readonly string[]) => void = () => undefined;
  await connectRemoteWake({
    bus,
    remote: {
      send: (topics) => void sent.push(topics),
      flush: async () => undefined,
      listen: async (onTopics) => void (hear = onTopics),
    },
  });
  const clock = { ms: 0 };
  const awaited = createAwaitedPlaces({ wake: bus, now: () => clock.ms });
  return { bus, sent, clock, awaited, receive: (topics: readonly string[]) => hear(topics) };
}

/** Hints are delivered after the current task. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function noBatch() {
  return { begun: [], hasMoved: false };
}
