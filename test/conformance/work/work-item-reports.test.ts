import { onBothStores } from '../../support/both-stores.ts';
import type { WorkItem } from '../../support/wire.ts';

/* Additions to "Work items (worker protocol)": several calls in one request, alone or with a claim. */

const check = onBothStores();
const tool = (name: string) => ({ kind: 'python_fn', module: 'm', function: name });
const chain = { nodes: { a: tool('f'), b: tool('g') }, edges: [{ from: 'a', to: 'b' }] };
const single = { nodes: { a: tool('f') }, edges: [] };

interface Reported {
  readonly results: readonly { work_item_id: string; status: number; body: object }[];
}

const fenceOf = (item: WorkItem) => ({ work_item_id: item.id, lease_fence: item.lease_fence });
const completion = (item: WorkItem, output = {}) => ({
  kind: 'complete',
  ...fenceOf(item),
  idempotency_key: item.idempotency_key,
  output,
  state_patch: {},
});
const WORKER = { worker_id: 'worker-1' };
const CLAIM = { ...WORKER, queue_types: ['python_tool'], max_items: 10 };

check('200: each report has the result that it would have alone', async (t, svc) => {
  const workflowId = await svc.register(single);
  const ids = [
    await svc.start(workflowId),
    await svc.start(workflowId),
    await svc.start(workflowId),
  ];
  const [done, failed, kept] = [await svc.claim(), await svc.claim(), await svc.claim()];
  const { status, body } = await svc.post<Reported>('/work-items/report', {
    ...WORKER,
    reports: [
      completion(done, { n: 1 }),
      { kind: 'fail', ...fenceOf(failed), error: 'broken', final: true },
      { kind: 'heartbeat', ...fenceOf(kept) },
      { ...completion(kept), lease_fence: kept.lease_fence + 1 },
      { ...completion(kept), output: 'no object' },
      { kind: 'complete', ...fenceOf(kept), work_item_id: 'none', output: {}, state_patch: {} },
    ],
  });
  t.is(status, 200);
  t.deepEqual(
    body.results.map((result) => [result.work_item_id, result.status]),
    [
      [done.id, 200],
      [failed.id, 200],
      [kept.id, 200],
      [kept.id, 409],
      [kept.id, 400],
      ['none', 404],
    ],
  );
  t.deepEqual(body.results[0]?.body, { completed: true, work_item_id: done.id });
  t.like(body.results[1]?.body, { failed: true, attempt: 0 });
  t.like(body.results[2]?.body, { renewed: true, work_item_id: kept.id });
  t.like(body.results[3]?.body, { completed: false });
  t.like(body.results[4]?.body, { error: 'bad request: output must be an object' });
  await svc.until(ids[0] ?? '', 'completed');
  await svc.until(ids[1] ?? '', 'failed');
  return body.results.map((result) => result.status);
});

check('200: reports on one item are served in their order', async (t, svc) => {
  const workflowId = await svc.register(single);
  const id = await svc.start(workflowId);
  const item = await svc.claim();
  const { body } = await svc.post<Reported>('/work-items/report', {
    ...WORKER,
    reports: [
      { kind: 'heartbeat', ...fenceOf(item) },
      completion(item),
      { kind: 'heartbeat', ...fenceOf(item) },
    ],
  });
  t.deepEqual(
    body.results.map((result) => result.status),
    [200, 200, 409],
  );
  await svc.until(id, 'completed');
});

check('200: a claim serves its reports first, and gets the item that follows', async (t, svc) => {
  const workflowId = await svc.register(chain);
  const id = await svc.start(workflowId);
  const first = await svc.claim();
  t.false((await svc.tryClaim(CLAIM)).claimed);
  const claim = { ...CLAIM, reports: [completion(first, { n: 1 })] };
  const { status, body } = await svc.post<Reported & { work_items: readonly WorkItem[] }>(
    '/work-items/claim',
    claim,
  );
  t.is(status, 200);
  t.is(body.results[0]?.status, 200);
  const [second] = body.work_items;
  if (second === undefined) return t.fail();
  t.is(second.node_id, 'b');
  t.is(second.execution_id, id);
  const end = await svc.post<Reported>('/work-items/claim', {
    ...CLAIM,
    reports: [completion(second)],
  });
  t.like(end.body, { claimed: false, results: [{ status: 200 }] });
  await svc.until(id, 'completed');
});

check('200: a claim whose answer was lost is sent again with its reports', async (t, svc) => {
  const workflowId = await svc.register(chain);
  await svc.start(workflowId);
  const first = await svc.claim();
  const claim_id = 'a3bb189e-8bf9-4888-9912-ace4e6543002';
  const claim = { ...CLAIM, claim_id, reports: [completion(first)] };
  const lost = await svc.tryClaim(claim);
  const again = await svc.post<Reported & { work_items: readonly WorkItem[] }>(
    '/work-items/claim',
    { ...claim, repeated: true },
  );
  t.like(again.body.results[0], { status: 409, body: { completed: false } });
  t.is(again.body.work_items[0]?.lease_fence, lost.work_item?.lease_fence);
  t.truthy(lost.work_item);
});

check('400: reports are refused as a whole when one has no kind or no fence', async (t, svc) => {
  const workflowId = await svc.register(single);
  await svc.start(workflowId);
  const item = await svc.claim();
  const { kind: _, ...unkind } = completion(item);
  const { lease_fence: __, ...unfenced } = completion(item);
  for (const [report, error] of [
    [unkind, /reports\.1\.kind is required/],
    [unfenced, /reports\.1\.lease_fence is required/],
    [{ ...completion(item), kind: 'requeue' }, /reports\.1\.kind must be heartbeat, steps/],
  ] as const) {
    const reports = [completion(item), report];
    for (const path of ['/work-items/report', '/work-items/claim']) {
      const { status, body } = await svc.post<{ error: string }>(path, { ...CLAIM, reports });
      t.is(status, 400);
      t.regex(body.error, error);
    }
  }
  const many = Array.from({ length: 101 }, () => completion(item));
  const { body } = await svc.post<{ error: string }>('/work-items/report', {
    ...WORKER,
    reports: many,
  });
  t.regex(body.error, /at most 100 reports/);
  t.is((await svc.complete(item)).status, 200);
});
