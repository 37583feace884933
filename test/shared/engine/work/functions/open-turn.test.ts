import test from 'ava';

import { emptyCommit } from '../../../../../src/shared/store/commit.ts';
import { openTestEngine, TENANT } from '../../../../support/engine.ts';
import { openTestStore } from '../../../../support/stores.ts';

const PINNED = {
  nodes: { f: { kind: { type: 'function', name: 'fn', pinned: true } } },
  edges: [],
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: an item that reaches another build returns to the queue of its own`, async (t) => {
    const { store, close, age } = await openTestStore(dialect);
    t.teardown(close);
    const host = openTestEngine({ store });
    const claimFor = (buildId: string) =>
      host.engine.claimWork({
        tenantId: TENANT,
        workerId: `worker-${buildId}`,
        queues: ['function'],
        filter: { buildId },
        maxItems: 1,
        waitMs: 0,
        signal: new AbortController().signal,
        host: 'h',
        version: '1',
      });
    await host.start(PINNED);
    const [item] = await claimFor('b1');
    if (item === undefined) return t.fail('nothing was claimed');
    const { record, leaseFence } = item;
    const { workItemId } = record;
    const found = await store.work.find(workItemId, TENANT);
    const lease = found?.lease ?? null;
    if (lease === null) return t.fail('it is not leased');
    // As a process that knows no builds would put it back.
    const { queueName: _, ...ticket } = lease.ticket;
    const moved = await store.executions.commit([
      {
        ...emptyCommit(record),
        settles: [{ workItemId, leaseFence, onlyIfExpired: false }],
        retries: [{ ticket, delayMs: 0, released: null }],
      },
    ]);
    t.like(moved[0], { accepted: true });
    t.deepEqual(await claimFor('b2'), []);
    t.is((await store.work.find(workItemId, TENANT))?.place, 'retrying');
    await age({ table: 'retry_timers', columns: ['due_at'], byMs: 60_000 });
    await store.timers.promoteRetries({ limit: 10 });
    t.deepEqual(await claimFor('b2'), []);
    const [again] = await claimFor('b1');
    t.like(again, { record: { workItemId }, opened: { turn: 0 }, attempt: 0 });
  });

  test(`${dialect}: a late copy of a claim takes no turn away that has recorded entries`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    const host = openTestEngine({ store });
    const claim = () =>
      host.engine.claimWork({
        tenantId: TENANT,
        workerId: 'blue',
        claimId: 'd4dd8049-7f91-4994-8e6d-d6f5bdd0530d',
        queues: ['function'],
        filter: { buildId: 'blue' },
        maxItems: 1,
        waitMs: 0,
        signal: new AbortController().signal,
        host: 'h',
        version: '1',
      });
    const move = (buildId: string) =>
      host.engine.moveExecution({
        tenantId: TENANT,
        actorId: 'ann',
        executionId,
        buildId,
        nodeId: null,
      });
    const executionId = await host.start(PINNED);
    const [item] = await claim();
    if (item === undefined) return t.fail('nothing was claimed');
    const { workItemId } = item.record;
    const placeOf = async () => (await store.work.find(workItemId, TENANT))?.place;
    const of = { tenantId: TENANT, workItemId, leaseFence: item.leaseFence };
    const entries = [{ identity: 'a', kind: 'step', output: 1 }] as const;
    await host.engine.recordSteps({ ...of, expectedLength: 0, entries });
    await move('green');
    t.deepEqual(await claim(), []);
    t.is(await placeOf(), 'leased');
    const more = [{ identity: 'b', kind: 'step', output: 2 }] as const;
    await host.engine.recordSteps({ ...of, expectedLength: 1, entries: more });
  });

  test(`${dialect}: nothing is handed out of an execution that was removed meanwhile`, async (t) => {
    const { store, close } = await openTestStore(dialect);
    t.teardown(close);
    let isRemoved = false;
    const { executions: kept } = store;
    const executions: typeof kept = {
      ...kept,
      eventsBetween: (range) => (isRemoved ? Promise.resolve([]) : kept.eventsBetween(range)),
      find: (...asked) => (isRemoved ? Promise.resolve(null) : kept.find(...asked)),
    };
    const host = openTestEngine({ store: { ...store, executions } });
    const by = { tenantId: TENANT, workerId: 'w' };
    const claim = () =>
      host.engine.claimWork({
        ...by,
        queues: ['function'],
        filter: {},
        maxItems: 1,
        waitMs: 0,
        signal: new AbortController().signal,
        host: 'h',
        version: '1',
      });
    await host.start({ nodes: { f: { kind: { type: 'function', name: 'fn' } } }, edges: [] });
    const [item] = await claim();
    if (item === undefined) return t.fail('nothing was claimed');
    const held = { workItemId: item.record.workItemId, leaseFence: item.leaseFence };
    const entries = [{ identity: 's', kind: 'step' as const, output: 1 }];
    await host.engine.recordSteps({ ...by, ...held, expectedLength: 0, entries });
    await host.engine.releaseWorkItem({ ...by, ...held });
    isRemoved = true;
    t.deepEqual(await claim(), []);
    t.deepEqual(host.troubles, []);
  });

  test(`${dialect}: one reading opens a turn after hundreds of tries with code that did not fit`, async (t) => {
    const { store, close, age } = await openTestStore(dialect);
    t.teardown(close);
    let readings = 0;
    const { executions: kept } = store;
    const executions: typeof kept = {
      ...kept,
      events: (range) => ((readings += 1), kept.events(range)),
      eventsBetween: (range) => ((readings += 1), kept.eventsBetween(range)),
    };
    const host = openTestEngine({ store: { ...store, executions } });
    const by = { tenantId: TENANT, workerId: 'w' };
    const claim = async () => {
      const [item] = await host.engine.claimWork({
        ...by,
        queues: ['function'],
        filter: {},
        maxItems: 1,
        waitMs: 0,
        signal: new AbortController().signal,
        host: 'h',
        version: '1',
      });
      if (item === undefined) throw new Error('nothing was claimed');
      return {
        item,
        ref: { ...by, workItemId: item.record.workItemId, leaseFence: item.leaseFence },
      };
    };
    const entryOf = (identity: string) => [{ identity, kind: 'step', output: 1 }] as const;
    await host.start({ nodes: { f: { kind: { type: 'function', name: 'fn' } } }, edges: [] });
    let { item, ref } = await claim();
    const tryAgain = async () => {
      await host.engine.failWorkItem({
        ...ref,
        executionId: null,
        nodeId: null,
        error: 'it does not fit',
        errorClass: 'NonDeterminismError',
        usage: null,
      });
      await age({ table: 'retry_timers', columns: ['due_at'], byMs: 60_000 });
      await store.timers.promoteRetries({ limit: 10 });
      readings = 0;
      ({ item, ref } = await claim());
    };
    await host.engine.recordSteps({ ...ref, expectedLength: 0, entries: entryOf('a') });
    for (let tries = 0; tries < 120; tries += 1) await tryAgain();
    await host.engine.recordSteps({ ...ref, expectedLength: 1, entries: entryOf('b') });
    await tryAgain();
    t.deepEqual(
      item.opened?.journal.entries.map(({ entry }) => entry.identity),
      ['a', 'b'],
    );
    t.is(readings, 1);
    t.is(item.attempt, 0);
    t.deepEqual(host.troubles, []);
  });
}
