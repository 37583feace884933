import test from 'ava';
import Database from 'better-sqlite3';

import type { ExecutionId } from '../../../../src/shared/domain/ids.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';
import { CALLER, openScene, parentOf } from './child-scene.ts';
import { runOnServer } from '../../../support/database.ts';
import { TENANT } from '../../../support/engine.ts';
import { sqlitePath } from '../../../support/stores.ts';

const WAITING = { nodes: { w: { kind: { type: 'wait', condition: 'external_event' } } } };
const CALLING = { nodes: { a: { kind: 'call' } } };

type Scene = Awaited<ReturnType<typeof openScene>>;

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`${dialect}: a workflow of two of itself never holds more places than there are`, async (t) => {
    const svc = await openScene(t, dialect);
    await limit(svc, { max_concurrent_executions: 10, max_descendants: 5_000 });
    await svc.register('bomb', bombOf('bomb'));
    const root = await svc.start(bombOf('bomb'));
    let most = 0;
    for (let round = 0; round < 40; round += 1) {
      await svc.turn();
      const { taken, lent } = await countPlaces(svc);
      most = Math.max(most, taken);
      t.true(taken <= 10, `${taken} places are taken`);
      t.true(lent <= 10 * 32);
    }
    t.is(most, 10);
    await svc.cancel(root);
    await svc.settle();
    t.deepEqual(await list(svc, 'running'), []);
    t.is((await countPlaces(svc)).waiting, 0);
    t.deepEqual(await svc.store.timers.listDue({ limit: 10 }), []);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: with one place a tree deeper than that ends`, async (t) => {
    const svc = await openScene(t, dialect, {
      run: async () => ({ ok: true, output: {}, statePatch: {} }),
    });
    await limit(svc, { max_concurrent_executions: 1 });
    await svc.register('leaf', CALLING);
    await svc.register('inner', bombOf('leaf'));
    await svc.register('outer', bombOf('inner'));
    const root = await svc.start(bombOf('outer'));
    await svc.settle();
    t.is((await svc.read(root)).status, 'completed');
    t.is((await list(svc, 'completed')).length, 15);
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: children wait in the order in which they came, and tell so`, async (t) => {
    const svc = await openScene(t, dialect);
    await limit(svc, { max_concurrent_executions: 2 });
    await svc.register('child', WAITING);
    const root = await svc.start(
      {
        start_node: 'each',
        nodes: {
          each: { kind: { type: 'map', items: 'state.items', workflow_ref: 'child' } },
        },
      },
      { items: [1, 2, 3, 4] },
    );
    await svc.settle();
    const children = await svc.children(root);
    const waits = await Promise.all(
      children.map(({ executionId }) => svc.store.places.find(executionId)),
    );
    t.is(children.length, 4);
    t.deepEqual(
      waits.flatMap((wait) => wait?.ahead ?? []).toSorted((one, other) => one - other),
      [0, 1],
    );
    for (const [index, { executionId }] of children.entries()) {
      const begun = (await svc.story(executionId)).length > 1;
      t.is(begun, waits[index] === null);
    }
    for (const { executionId } of children) {
      await svc.send(executionId, 'w', {});
      await svc.settle();
    }
    await svc.settle();
    t.is((await svc.read(root)).status, 'completed');
    t.deepEqual(svc.troubles, []);
  });

  test(`${dialect}: an event for a child that waits does not let it begin`, async (t) => {
    const svc = await openScene(t, dialect);
    await limit(svc, { max_concurrent_executions: 1 });
    await svc.register('child', WAITING);
    const root = await svc.start(twoOf('child'));
    await svc.settle();
    const [waiting] = await waitingOf(svc, root);
    if (waiting === undefined) return t.fail('no child waits');
    await svc.send(waiting, 'w', {});
    await svc.settle();
    t.deepEqual(await svc.story(waiting), ['WorkflowStarted', 'ExternalEventReceived']);
    const { placeWait } = await svc.read(waiting);
    t.like(placeWait, { ahead: 0, placesMax: 1 });
    const { blockers } = await svc.engine.explainExecution({ ...CALLER, executionId: waiting });
    // No process with the role of a scheduler is known.
    t.deepEqual(
      blockers.map(({ code }) => code),
      ['no_scheduler', 'waiting_for_place'],
    );
    t.is(
      blockers[1]?.message,
      'waits for a place: number 1 in the queue of the tenant, limit 1 reached',
    );
    const above = await svc.engine.explainExecution({ ...CALLER, executionId: root });
    t.true(above.blockers.some(({ details }) => details.childCode === 'no_scheduler'));
    const [begun] = (await svc.children(root)).filter(({ executionId }) => executionId !== waiting);
    await svc.send(begun?.executionId ?? waiting, 'w', {});
    await svc.settle();
    t.is((await svc.read(root)).status, 'completed');
  });

  test(`${dialect}: a child that waits and is cancelled has never begun`, async (t) => {
    const svc = await openScene(t, dialect);
    await limit(svc, { max_concurrent_executions: 1 });
    await svc.register('child', {
      nodes: {
        w: { kind: { type: 'wait', condition: 'external_event' } },
        tidy: { kind: { type: 'cleanup', run_on: 'always' } },
      },
      start_node: 'w',
    });
    const root = await svc.start(twoOf('child'));
    await svc.settle();
    const [waiting] = await waitingOf(svc, root);
    if (waiting === undefined) return t.fail('no child waits');
    await svc.cancel(waiting);
    t.deepEqual(await svc.story(waiting), ['WorkflowStarted', 'WorkflowCancelled']);
    t.is((await countPlaces(svc)).waiting, 0);
    await svc.settle();
  });

  test(`${dialect}: a child that continues as new keeps the place that it has`, async (t) => {
    const svc = await openScene(t, dialect, {
      run: async () => ({ ok: true, output: {}, statePatch: {} }),
    });
    await limit(svc, { max_concurrent_executions: 1 });
    await svc.register('child', {
      start_node: 'a',
      nodes: { a: { kind: 'call' }, w: { kind: { type: 'wait', condition: 'external_event' } } },
      edges: [{ from: 'a', to: 'w' }],
      continue_as_new: { when: 'true' },
    });
    const root = await svc.start(parentOf());
    await svc.settle();
    t.deepEqual(await countPlaces(svc), { taken: 1, lent: 1, waiting: 0 });
    const last = await svc.child(root);
    t.true((await svc.children(root)).length > 1);
    t.is(last.status, 'paused');
  });

  test(`${dialect}: starts find no room while children wait, nor take theirs`, async (t) => {
    const svc = await openScene(t, dialect);
    await limit(svc, { max_concurrent_executions: 2 });
    await svc.register('child', WAITING);
    const root = await svc.start(bombOf('child', 3));
    await svc.settle();
    t.deepEqual(await countPlaces(svc), { taken: 2, lent: 1, waiting: 1 });
    await t.throwsAsync(svc.start(WAITING), { message: /limit exceeded/ });
    await svc.cancel(root);
    await svc.settle();
    await t.notThrowsAsync(svc.start(WAITING));
  });

  test(`${dialect}: a raised limit lets those begin that wait`, async (t) => {
    const svc = await openScene(t, dialect);
    await limit(svc, { max_concurrent_executions: 1 });
    await svc.register('child', WAITING);
    await svc.start(bombOf('child', 3));
    await svc.settle();
    t.deepEqual(await countPlaces(svc), { taken: 1, lent: 1, waiting: 2 });
    await limit(svc, {});
    await svc.settle();
    t.deepEqual(await countPlaces(svc), { taken: 3, lent: 1, waiting: 0 });
  });

  test(`${dialect}: beyond the bound of a root the node that starts fails and names both`, async (t) => {
    const svc = await openScene(t, dialect, { descendantsMax: 5 });
    await svc.register('child', WAITING);
    const ids = [...Array(7).keys()];
    const root = await svc.start(
      {
        start_node: 'each',
        nodes: { each: { kind: { type: 'map', items: 'state.items', workflow_ref: 'child' } } },
      },
      { items: ids },
    );
    await svc.settle();
    const { row, status } = await svc.read(root);
    t.is(status, 'failed');
    t.regex(row.error ?? '', new RegExp(`${root} has started 5 descendants, .*max_descendants`));
    t.is((await svc.children(root)).length, 5);
    t.deepEqual(await list(svc, 'paused'), []);
  });

  test(`${dialect}: no descendant begins once the root has ended`, async (t) => {
    const svc = await openScene(t, dialect);
    await svc.register('leaf', WAITING);
    await svc.register('child', parentOf({ workflow_ref: 'leaf' }));
    const root = await svc.start(parentOf());
    // The child exists and has not begun.
    await svc.scheduling.runQueuedNodes({ shards: [...Array(64).keys()], limit: 100 });
    while ((await svc.children(root)).length === 0 || svc.scheduling.underWay() > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await svc.cancel(root);
    // Two may come first: the scheduler that begins the child, or the notification of the root's
    // end.
    await svc.scheduling.advanceRunnable({ shards: [...Array(64).keys()], limit: 100 });
    await svc.settle();
    const child = await svc.child(root);
    t.deepEqual(await svc.story(child.executionId), ['WorkflowStarted', 'WorkflowCancelled']);
    t.deepEqual(svc.troubles, []);
  });
}

/** This many parallel children of another workflow. */
function bombOf(workflowRef: string, count = 2): JsonObject {
  const ids = [...Array(count).keys()].map((index) => `sub${index}`);
  return {
    start_node: 'split',
    nodes: {
      split: { kind: { type: 'parallel', branches: ids } },
      ...Object.fromEntries(
        ids.map((id) => [id, { kind: { type: 'subgraph', workflow_ref: workflowRef } }]),
      ),
    },
  };
}

function twoOf(workflowRef: string): JsonObject {
  return bombOf(workflowRef);
}

async function limit(svc: Scene, limits: JsonObject): Promise<void> {
  const changes = { name: null, status: null, policy: null, limits };
  await svc.engine.updateTenant({ tenantId: TENANT, changes, actorId: 'token:test' });
}

async function list(svc: Scene, status: 'running' | 'paused' | 'completed') {
  return svc.engine.listExecutions({
    tenantId: CALLER.tenantId,
    status,
    workflowId: null,
    createdAfter: null,
    createdBefore: null,
    cursor: null,
    limit: 500,
    offset: 0,
  });
}

async function waitingOf(svc: Scene, root: ExecutionId): Promise<readonly ExecutionId[]> {
  const children = await svc.children(root);
  const waits = await Promise.all(
    children.map(({ executionId }) => svc.store.places.find(executionId)),
  );
  return children.filter((_, index) => waits[index] !== null).map(({ executionId }) => executionId);
}

/** Counts the places in the tables. */
async function countPlaces(svc: Scene) {
  const row = await readRow(
    svc.opened.url,
    `select
       (select count(*) from executions e where e.status in ('running', 'paused')
         and not exists (select 1 from child_places c where c.execution_id = e.id)) as taken,
       (select count(*) from child_places c join executions e on e.id = c.execution_id
         where c.state = 'lent' and e.status in ('running', 'paused')) as lent,
       (select count(*) from child_places where state = 'waiting') as waiting`,
  );
  const { taken, lent, waiting } = row;
  return { taken: Number(taken), lent: Number(lent), waiting: Number(waiting) };
}

async function readRow(url: string, sql: string): Promise<Readonly<Record<string, unknown>>> {
  if (url.startsWith('postgres')) {
    const { rows } = await runOnServer(url, sql);
    const [row = {}]: readonly Readonly<Record<string, unknown>>[] = rows;
    return row;
  }
  const database = new Database(sqlitePath(url), { readonly: true });
  try {
    return database.prepare<[], Readonly<Record<string, unknown>>>(sql).get() ?? {};
  } finally {
    database.close();
  }
}
