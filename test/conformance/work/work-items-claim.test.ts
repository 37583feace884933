import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { sendAndLeave } from '../../support/servers/raw-http.ts';
import type { ClaimAnswer } from '../../support/wire.ts';

/* Interface document: "Work items (worker protocol)"; claiming. */

const check = onBothStores();
const python = { kind: 'python_fn', module: 'm', function: 'f' };
const java = { kind: 'java_fn', class_name: 'C', method: 'run' };
const both = {
  nodes: { split: { kind: { type: 'parallel', branches: ['p', 'j'] } }, p: python, j: java },
  edges: [],
};

check('200: a claimed item has every field of the contract', async (t, svc) => {
  const workflowId = await svc.register({ version: '3', nodes: { a: python }, edges: [] });
  const id = await svc.start(workflowId, { city: 'Oslo' });
  const answer = await svc.tryClaim();
  t.deepEqual(Object.keys(answer).toSorted(), ['claimed', 'work_item']);
  t.true(answer.claimed);
  const item = answer.work_item;
  if (item === undefined) return t.fail();
  t.is(item.execution_id, id);
  t.is(item.node_id, 'a');
  t.is(item.queue_type, 'python_tool');
  t.is(item.attempt, 0);
  t.is(item.max_attempts, 3);
  t.true(Number.isSafeInteger(item.lease_fence) && item.lease_fence > 0);
  t.regex(item.idempotency_key, /^[0-9a-f]{64}$/);
  t.regex(item.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const leaseMs = Date.parse(item.lease_expires_at) - Date.now();
  t.true(leaseMs > 10_000 && leaseMs <= 31_000, String(leaseMs));
  t.true(item.heartbeat_interval_ms > 0 && item.heartbeat_interval_ms <= 10_000);
  t.deepEqual(item.payload, {
    workflow_id: 'w',
    workflow_version: '3',
    node_id: 'a',
    module: 'm',
    function: 'f',
    input: { city: 'Oslo' },
  });
  return item.payload;
});

check('200: an empty queue is claimed: false, and says nothing else', async (t, svc) => {
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  t.deepEqual(await svc.tryClaim({ max_items: 3 }), { claimed: false, work_items: [] });
});

check('200: an item goes to one worker only, however many ask', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: python } });
  for (let count = 0; count < 10; count++) await svc.start(workflowId);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => svc.tryClaim({ worker_id: `worker-${n}` })),
  );
  const items = answers.flatMap((answer) => answer.work_item ?? []);
  t.is(items.length, 10);
  t.is(new Set(items.map((item) => item.id)).size, 10);
  t.is(new Set(items.map((item) => item.lease_fence)).size, 10);
});

check('200: only the queues that were asked for', async (t, svc) => {
  await svc.run(both);
  const j = await svc.claim({ queue_types: ['java_tool', 'gpu_tool'] });
  t.is(j.node_id, 'j');
  t.deepEqual(await svc.tryClaim({ queue_types: ['java_tool'] }), { claimed: false });
  t.is((await svc.claim({ queue_types: ['python_tool', 'python_tool'] })).node_id, 'p');
});

check('400: queue types that are missing, empty, too many or all unknown', async (t, svc) => {
  for (const queue_types of [
    undefined,
    null,
    [],
    'python_tool',
    [1],
    [''],
    ['gpu_tool'],
    ['engine'],
    ['general', 'tool', 'model'],
    Array.from({ length: 33 }, () => 'python_tool'),
  ]) {
    const body = { worker_id: 'w', queue_types };
    const reply = await svc.post('/work-items/claim', body);
    t.is(reply.status, 400, JSON.stringify(queue_types));
    t.regex(reply.body.error, /^bad request: queue_types/);
  }
  const unknown = await svc.post('/work-items/claim', { worker_id: 'w', queue_types: ['engine'] });
  t.is(
    unknown.body.error,
    'bad request: queue_types must name python_tool or java_tool or function',
  );
});

check('400: a worker id that is missing or no text', async (t, svc) => {
  for (const worker_id of [undefined, null, '', 1, 'x'.repeat(513)]) {
    const body = { worker_id, queue_types: ['python_tool'] };
    const reply = await svc.post('/work-items/claim', body);
    t.is(reply.status, 400, JSON.stringify(worker_id));
    t.regex(reply.body.error, /^bad request: worker_id/);
  }
});

check('200: oldest first', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: python } });
  const ids = [];
  for (let count = 0; count < 5; count++) ids.push(await svc.start(workflowId));
  for (const id of ids) t.is((await svc.claim()).execution_id, id);
});

check('200: max_items claims several at once, in order', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: python } });
  const ids = [];
  for (let count = 0; count < 5; count++) ids.push(await svc.start(workflowId));
  const claimed = async (max_items: number | null) => {
    const answer = await svc.tryClaim({ max_items });
    t.deepEqual(answer.work_item, (answer.work_items ?? [answer.work_item])[0]);
    return answer.work_items?.map((item) => item.execution_id);
  };
  t.deepEqual(await claimed(3), ids.slice(0, 3));
  t.is(await claimed(null), undefined);
  t.deepEqual(await claimed(100), ids.slice(4));
  for (const max_items of [0, -1, 1.5, '2']) {
    const body = { worker_id: 'w', queue_types: ['python_tool'], max_items };
    t.is((await svc.post('/work-items/claim', body)).status, 400, String(max_items));
  }
});

check('200: wait_ms waits for work that comes, and no longer than it says', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: python } });
  const waiting = svc.tryClaim({ wait_ms: 15_000 });
  const id = await svc.start(workflowId);
  t.is((await waiting).work_item?.execution_id, id);

  const startedAt = performance.now();
  t.deepEqual(await svc.tryClaim({ wait_ms: 300 }), { claimed: false });
  const waitedMs = performance.now() - startedAt;
  t.true(waitedMs >= 290, String(waitedMs));
  for (const wait_ms of [-1, 0.5, '1']) {
    const body = { worker_id: 'w', queue_types: ['python_tool'], wait_ms };
    t.is((await svc.post('/work-items/claim', body)).status, 400, String(wait_ms));
  }
});

check('200: each item goes to one of many waiting callers', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: python } });
  const waiting = Promise.all(
    Array.from({ length: 8 }, (_, n) => svc.tryClaim({ wait_ms: 15_000, worker_id: `w-${n}` })),
  );
  const ids = await Promise.all(Array.from({ length: 8 }, () => svc.start(workflowId)));
  const items = (await waiting).map(({ work_item }) => work_item?.execution_id ?? 'none');
  t.deepEqual(items.toSorted(), ids.toSorted());
});

check('200: a repeated claim gets the items of the first under the same leases', async (t, svc) => {
  const workflowId = await svc.register({ nodes: { a: python } });
  for (let count = 0; count < 4; count++) await svc.start(workflowId);
  const claim_id = '018F0A52-0000-7000-8000-00000000abcd';
  const first = await svc.tryClaim({ claim_id, max_items: 2 });
  const again = { claim_id: claim_id.toLowerCase(), repeated: true, max_items: 2 };
  const repeated = await svc.tryClaim(again);
  const shown = (answer: ClaimAnswer) =>
    answer.work_items?.map(({ lease_expires_at: _, ...item }) => item);
  t.deepEqual(shown(repeated), shown(first));
  t.is(first.work_items?.length, 2);
  // Another worker gets the next items, and so does a claim that names no earlier one.
  for (const changes of [
    { ...again, worker_id: 'other' },
    { claim_id, max_items: 2 },
  ]) {
    const next = await svc.tryClaim({ ...changes, max_items: 1 });
    t.false(first.work_items?.some(({ id }) => id === next.work_item?.id));
    t.true(next.claimed);
  }
  for (const item of first.work_items ?? []) await svc.complete(item);
  t.is((await svc.tryClaim(again)).work_items?.length, 1);
});

check('400: a claim id that is no UUID', async (t, svc) => {
  for (const claim_id of ['', 'x', 1, '018f0a52000070008000000000000000']) {
    const body = { worker_id: 'w', queue_types: ['python_tool'], claim_id };
    const reply = await svc.post('/work-items/claim', body);
    t.is(reply.status, 400, String(claim_id));
    t.regex(reply.body.error, /^bad request: claim_id/);
  }
});

check('200: a caller that left while waiting gets no item', async (t, svc, { runtime }) => {
  const workflowId = await svc.register({ nodes: { a: python } });
  const body = '{"worker_id":"left","queue_types":["python_tool"],"wait_ms":15000}';
  const caller = await sendAndLeave(
    runtime.url,
    [
      'POST /work-items/claim HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${runtime.apiKey}`,
      `X-Tenant-Id: ${svc.tenantId}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
  await eventually(async () => {
    const { workers } = (await svc.get<{ workers: { worker_id: string }[] }>('/workers')).body;
    if (!workers.some((worker) => worker.worker_id === 'left')) throw new Error('not seen yet');
  });
  await caller.leave();
  // The service answers this request only after it has seen the caller leave.
  await svc.get('/health');
  const id = await svc.start(workflowId);
  t.is((await svc.tryClaim({ wait_ms: 10_000 })).work_item?.execution_id, id);
});

check('200: items of one tenant are never handed to another', async (t, svc, { runtime }) => {
  await svc.run({ nodes: { a: python } });
  t.deepEqual(await (await runtime.newTenant()).tryClaim(), { claimed: false });
  t.true((await svc.tryClaim()).claimed);
});

check('200: an item of a cancelled execution is not handed out', async (t, svc) => {
  const id = await svc.run({ nodes: { a: python } });
  t.is((await svc.cancel(id)).status, 200);
  t.deepEqual(await svc.tryClaim(), { claimed: false });
});

check('200: one key for every attempt of a visit, another for anything else', async (t, svc) => {
  const retry_policy = { max_attempts: 3, initial_delay: 0 };
  const nodes = { a: { ...python, retry_policy }, b: python };
  const workflowId = await svc.register({ nodes, edges: [{ from: 'a', to: 'b' }] });
  await svc.start(workflowId, { n: 1 });
  const first = await svc.claimOf('a');
  t.is((await svc.fail(first)).status, 200);
  const second = await svc.claimOf('a');
  t.is(second.id, first.id);
  t.is(second.idempotency_key, first.idempotency_key);
  t.is(second.attempt, 1);
  t.true(second.lease_fence > first.lease_fence);
  t.is((await svc.complete(second)).status, 200);
  const b = await svc.claimOf('b');
  await svc.start(workflowId, { n: 1 });
  const otherExecution = await svc.claimOf('a');
  const keys = [first, b, otherExecution].map((item) => item.idempotency_key);
  t.is(new Set(keys).size, 3);
});

check('200: members that a worker may leave out may be null', async (t, svc) => {
  await svc.run({ nodes: { a: python } });
  const reply = await svc.post<ClaimAnswer>('/work-items/claim', {
    worker_id: 'w',
    queue_types: ['python_tool'],
    wait_ms: null,
    max_items: null,
    anything_else: true,
  });
  t.is(reply.status, 200);
  t.true(reply.body.claimed);
});
