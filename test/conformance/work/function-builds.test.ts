import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { claimTurn, FUNCTION, park, plain, record, step } from '../../support/functions.ts';
import { expectStatus, type TestTenant } from '../../support/tenant.ts';

/* Functions that stay with the build of workers that began them. */

const check = onBothStores();

const PINNED = { ...FUNCTION, pinned: true };
const NAP = { identity: 'nap', kind: 'timer', delay_ms: 10 };
const LATER = { ...NAP, identity: 'later' };
const [OLD, NEW] = [{ build_id: 'build-1' }, { build_id: 'build-2' }];

async function isFree(svc: TestTenant, more: JsonObject = {}): Promise<boolean> {
  return (await svc.tryClaim({ queue_types: ['function'], ...more })).claimed;
}

/** A function that the old build began, and that waits for its next turn. */
async function begun(svc: TestTenant, f: JsonObject = PINNED): Promise<string> {
  const id = await svc.run({ nodes: { f } });
  await park(svc, await claimTurn(svc, OLD), [NAP]);
  await svc.untilEvent(id, 'NodeResumed', 'f');
  return id;
}

check('200: a pinned function gets its later turns on the build that began it', async (t, svc) => {
  const id = await begun(svc);
  t.false(await isFree(svc, NEW), 'another build gets none of them');
  t.false(await isFree(svc), 'and no worker without a build');
  const next = await claimTurn(svc, OLD);
  t.is(next.turn, 1);
  expectStatus(await svc.complete(next), 200);
  await svc.until(id, 'completed');
  const pinned = (await svc.events(id)).filter(({ kind }) => kind === 'NodePinned');
  t.deepEqual(
    pinned.map(({ node_id, payload }) => [node_id, payload]),
    [['f', { visit: 0, build_id: 'build-1' }]],
  );
  return svc.story(id);
});

check('a pinned function keeps its build through retries, releases and pauses', async (t, svc) => {
  const retry_policy = { max_attempts: 3, initial_delay: '10ms', max_delay: '10ms' };
  const id = await begun(svc, { ...PINNED, retry_policy });
  await svc.post(`/executions/${id}/pause`, {});
  await svc.post(`/executions/${id}/resume`, {});
  expectStatus(await svc.fail(await claimTurn(svc, OLD)), 200);
  const retried = await claimTurn(svc, OLD);
  t.is(retried.attempt, 1);
  expectStatus(await svc.post(`/work-items/${retried.id}/release`, of(retried)), 200);
  const again = await claimTurn(svc, OLD);
  t.deepEqual([again.turn, again.attempt], [retried.turn, 1]);
  t.false(await isFree(svc, NEW));
  expectStatus(await svc.complete(again), 200);
  await svc.until(id, 'completed');
});

check('a rollback stays with the build that registered the compensations', async (t, svc) => {
  const id = await svc.run({ nodes: { f: PINNED } });
  const item = await claimTurn(svc, OLD);
  const undo = { identity: 'undo', kind: 'on_rollback' };
  expectStatus(await record(svc, item, [undo]), 200);
  expectStatus(await svc.fail(item, { final: true, expected_length: 1 }), 200);
  await svc.untilEvent(id, 'RollbackScheduled', 'f');
  t.false(await isFree(svc, NEW));
  const back = await claimTurn(svc, OLD);
  t.is(back.mode, 'rollback');
  const entries = [{ identity: 'rollback/undo', kind: 'rollback' }];
  expectStatus(await svc.complete(back, {}, { entries, expected_length: 1 }), 200);
  await svc.until(id, 'failed');
});

check('a function that is not pinned gets its turns from every worker', async (t, svc) => {
  const id = await begun(svc, FUNCTION);
  const next = await claimTurn(svc, NEW);
  expectStatus(await record(svc, next, [step('done')]), 200);
  t.is(plain(next.journal).length, 1);
  expectStatus(await svc.complete(next, {}, { expected_length: 2 }), 200);
  await svc.until(id, 'completed');
  t.false((await svc.story(id)).includes('NodePinned f'));
});

check('a worker without a build pins nothing', async (t, svc) => {
  const id = await svc.run({ nodes: { f: PINNED } });
  await park(svc, await claimTurn(svc), [NAP]);
  const next = await claimTurn(svc);
  t.is(next.turn, 1);
  expectStatus(await svc.complete(next), 200);
  await svc.until(id, 'completed');
});

check('a pinned function on a named queue keeps both', async (t, svc) => {
  const id = await begun(svc, { ...PINNED, queue: 'gpu' }).catch(() => null);
  t.is(id, null, 'a claim without the queue gets nothing');
  const item = await claimTurn(svc, { ...OLD, queues: ['gpu'] });
  await park(svc, item, [NAP]);
  await svc.untilEvent(item.execution_id, 'NodeResumed', 'f');
  t.false(await isFree(svc, { ...NEW, queues: ['gpu'] }));
  t.is((await claimTurn(svc, { ...OLD, queues: ['gpu'] })).turn, 1);
});

check(
  'the next visit of a function that continues begins with the build of the day',
  async (t, svc) => {
    const id = await svc.run({ nodes: { f: PINNED } });
    const item = await claimTurn(svc, OLD);
    const body = { lease_fence: item.lease_fence, expected_length: 0, input: {} };
    expectStatus(await svc.post(`/work-items/${item.id}/continue`, body), 200);
    const next = await claimTurn(svc, NEW);
    t.not(next.id, item.id);
    expectStatus(await svc.complete(next), 200);
    await svc.until(id, 'completed');
  },
);

check('200: an operator moves a function to another build, on its queue or not', async (t, svc) => {
  const id = await begun(svc);
  const queued = expectStatus(
    await svc.post(`/executions/${id}/build`, { ...NEW, node_id: 'f' }),
    200,
  );
  const moved = [{ node_id: 'f', visit: 0, from: 'build-1' }];
  t.deepEqual(queued, { execution_id: id, build_id: 'build-2', moved });
  const again = expectStatus(
    await svc.post<{ moved: unknown[] }>(`/executions/${id}/build`, NEW),
    200,
  );
  t.deepEqual(again.moved, []);
  t.false(await isFree(svc, OLD));
  const item = await claimTurn(svc, NEW);
  expectStatus(await svc.post(`/executions/${id}/build`, OLD), 200);
  await park(svc, item, [LATER]);
  const back = await claimTurn(svc, OLD);
  expectStatus(await svc.complete(back), 200);
  await svc.until(id, 'completed');
  t.is((await svc.post(`/executions/${id}/build`, NEW)).status, 400);
  return svc.story(id);
});

check('200: a function without a build is pinned by its next turn', async (t, svc) => {
  const id = await begun(svc);
  expectStatus(await svc.post(`/executions/${id}/build`, { build_id: null }), 200);
  const next = await claimTurn(svc, NEW);
  t.is(next.turn, 1);
  await park(svc, next, [LATER]);
  await eventually(async () => {
    const resumed = (await svc.story(id)).filter((told) => told === 'NodeResumed f');
    if (resumed.length < 2) throw new Error('it still waits');
  });
  t.false(await isFree(svc, OLD));
  t.is((await claimTurn(svc, NEW)).turn, 2);
});

check(
  '200: a function moves while its execution is paused, and waits for the resume',
  async (t, svc) => {
    const id = await begun(svc);
    expectStatus(await svc.post(`/executions/${id}/pause`, {}), 200);
    expectStatus(await svc.post(`/executions/${id}/build`, NEW), 200);
    t.false(await isFree(svc, NEW));
    expectStatus(await svc.post(`/executions/${id}/resume`, {}), 200);
    t.is((await claimTurn(svc, NEW)).turn, 1);
  },
);

check('a move is in the history, with the person who asked for it', async (t, svc) => {
  const id = await begun(svc);
  expectStatus(await svc.post(`/executions/${id}/build`, NEW), 200);
  const event = (await svc.events(id)).findLast(({ kind }) => kind === 'NodePinned');
  t.deepEqual(event?.payload, { visit: 0, build_id: 'build-2' });
  t.regex(event?.actor_id ?? '', /^(token|user|operator)/);
});

check('200: the list of workers shows their builds', async (t, svc) => {
  await isFree(svc, { ...OLD, worker_id: 'with-build' });
  const shown = await eventually(async () => {
    const reply = await svc.get<{ workers: readonly JsonObject[] }>('/workers');
    const { workers } = expectStatus(reply, 200);
    const found = workers.find(({ worker_id }) => worker_id === 'with-build');
    if (found === undefined) throw new Error('it is not announced yet');
    return found;
  });
  t.deepEqual([shown['queues'], shown['build_ids']], [['default'], ['build-1']]);
});

check('400: a build is a short name', async (t, svc) => {
  for (const build_id of ['', 'a@b', 'a/b', 'x'.repeat(65)]) {
    const body = { worker_id: 'w', queue_types: ['function'], build_id };
    t.is((await svc.post('/work-items/claim', body)).status, 400, build_id);
  }
});

function of({ lease_fence }: { readonly lease_fence: number }) {
  return { lease_fence };
}
