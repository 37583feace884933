import { hashJson } from '../../src/shared/domain/canonical-json.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import { eventually } from '../support/eventually.ts';
import { masked } from '../support/told.ts';

/* Additions: pausing, resuming, retrying and exporting executions, over HTTP. */

const check = onBothStores();
const call = {
  kind: { type: 'python_fn', module: 'm', function: 'f' },
  retry_policy: { max_attempts: 1 },
};
const CHAIN = { nodes: { a: call, b: call }, edges: [{ from: 'a', to: 'b' }] };

check('200: a paused execution hands out nothing until it is resumed', async (t, svc) => {
  const id = await svc.run(CHAIN);
  const paused = await svc.post(`/executions/${id}/pause`, { reason: 'wrong prices' });
  t.is(paused.status, 200);
  t.like(paused.body, { execution_id: id, status: 'paused' });
  t.like((await svc.read(id)).pauses[0], { scope: 'execution', reason: 'wrong prices' });
  t.deepEqual(await svc.tryClaim(), { claimed: false });
  // A repetition without a body changes nothing.
  t.deepEqual((await svc.post(`/executions/${id}/pause`)).body, paused.body);
  const resumed = await svc.post(`/executions/${id}/resume`);
  t.deepEqual(resumed.body, { execution_id: id, status: 'running', pauses: [] });
  await svc.work('a');
  await svc.work('b');
  await svc.until(id, 'completed');
  return masked(await svc.events(id));
});

check('400: an execution that has ended is neither paused nor resumed', async (t, svc) => {
  const id = await svc.run({ nodes: {} });
  for (const what of ['pause', 'resume']) {
    const reply = await svc.post(`/executions/${id}/${what}`);
    t.is(reply.status, 400);
    t.deepEqual(reply.body, { error: `bad request: execution ${id} is completed` });
  }
  t.is((await svc.post(`/executions/${id}/pause`, { reason: 1 })).status, 400);
});

check(
  '200: a paused workflow takes executions and begins none until it is resumed',
  async (t, svc) => {
    const ir = { workflow_id: 'checkout', ...CHAIN };
    await svc.post('/workflows', { ir });
    const start = async () => {
      const reply = await svc.post<{ execution_id: string }>('/executions', {
        workflow_id: 'checkout',
        input: {},
      });
      t.is(reply.status, 201);
      return reply.body.execution_id;
    };
    const pauseOf = async (path = '') =>
      (await svc.get<{ pause: JsonObject | null }>(`/workflows/checkout${path}`)).body.pause;
    t.is(await pauseOf(), null);
    const before = await start();
    const paused = await svc.post<{ pause: JsonObject }>('/workflows/checkout/pause', {
      reason: 'the provider is down',
    });
    t.is(paused.status, 200);
    t.like(paused.body, {
      workflow_id: 'checkout',
      pause: { reason: 'the provider is down', resumed_at: null, held_is_exact: true },
    });
    const after = await start();
    await eventually(async () => {
      const pause = await pauseOf();
      if (pause?.['state'] !== 'paused') throw new Error(`it is ${JSON.stringify(pause)}`);
    });
    t.is((await pauseOf())?.['held'], 2);
    for (const id of [before, after]) {
      t.like(await svc.read(id), { status: 'paused' });
      t.like((await svc.read(id)).pauses[0], { scope: 'workflow', reason: 'the provider is down' });
    }
    t.deepEqual(await svc.tryClaim(), { claimed: false });
    const list = await svc.get<{ workflows: { pause: JsonObject | null }[] }>('/workflows');
    t.like(list.body.workflows[0]?.pause, { state: 'paused' });
    t.like((await svc.post<JsonObject>('/workflows/checkout/pause')).body['pause'], {
      reason: 'the provider is down',
    });

    const resumed = await svc.post<{ pause: JsonObject | null }>('/workflows/checkout/resume');
    t.is(resumed.status, 200);
    await eventually(async () => {
      if ((await pauseOf()) !== null) throw new Error('it is being resumed');
    });
    t.deepEqual((await svc.post('/workflows/checkout/resume')).body, {
      workflow_id: 'checkout',
      pause: null,
    });
    for (let n = 0; n < 4; n += 1) await svc.complete(await svc.claim());
    for (const id of [before, after]) await svc.until(id, 'completed');
    return masked(await svc.events(after));
  },
);

check('404: an unknown workflow is neither paused nor resumed', async (t, svc) => {
  for (const what of ['pause', 'resume']) {
    const reply = await svc.post(`/workflows/nobody/${what}`);
    t.is(reply.status, 404);
    t.deepEqual(reply.body, { error: 'not found: workflow nobody' });
  }
  await svc.post('/workflows', { ir: { workflow_id: 'w' } });
  t.is((await svc.post('/workflows/w/pause', { reason: 1 })).status, 400);
});

check('201: a retry continues where the execution failed', async (t, svc) => {
  const id = await svc.run(CHAIN, { order: 1 });
  await svc.work('a', {}, { state_patch: { paid: true } });
  await svc.breakDown('b');
  await svc.until(id, 'failed');
  const retried = await svc.post<{ execution_id: string; retried_from: string }>(
    `/executions/${id}/retry`,
    { state_patch: { note: 'again' } },
  );
  t.is(retried.status, 201);
  t.is(retried.body.retried_from, id);
  const next = retried.body.execution_id;
  await svc.work('b');
  const done = await svc.until(next, 'completed');
  t.deepEqual(done.state, { order: 1, paid: true, note: 'again' });
  t.like(done.retried_from, { execution_id: id, node_id: 'b' });
  t.is((await svc.read(id)).retried_as, next);
  t.deepEqual(await svc.story(next), [
    'WorkflowStarted',
    'NodeScheduled b',
    'ToolCallCompleted b',
    'NodeCompleted b',
    'WorkflowCompleted',
  ]);
});

check('409: an execution is retried once, and the retry is named', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  t.is((await svc.post(`/executions/${id}/retry`)).status, 400);
  await svc.cancel(id);
  const replies = await Promise.all(
    Array.from({ length: 10 }, () =>
      svc.post<{ execution_id?: string; retried_as?: string }>(`/executions/${id}/retry`),
    ),
  );
  t.is(replies.filter(({ status }) => status === 201).length, 1);
  t.is(replies.filter(({ status }) => status === 409).length, 9);
  t.is(new Set(replies.map(({ body }) => body.execution_id ?? body.retried_as)).size, 1);
  t.is((await svc.post(`/executions/${id}/retry`, { revision: 'older' })).status, 400);
});

check('200: a whole execution is one document, which can be checked', async (t, svc) => {
  const id = await svc.run(CHAIN, { order: 1 });
  await svc.work('a', { receipt: 'r1' });
  await svc.work('b');
  await svc.until(id, 'completed');
  const { status, body } = await svc.get<JsonObject & { readonly sha256: string }>(
    `/executions/${id}/export`,
  );
  t.is(status, 200);
  const { sha256, ...rest } = body;
  t.is(hashJson(rest), sha256);
  t.like(rest, { format: 'svc.execution.1', redacted: false, artifacts: [] });
  const events = await svc.events(id);
  t.deepEqual(
    (rest['events'] as unknown as typeof events).map(({ sequence, kind, payload }) => ({
      sequence,
      kind,
      payload,
    })),
    events.map(({ sequence, kind, payload }) => ({ sequence, kind, payload })),
  );
  t.like(rest['definition'], { revision: 1 });
  t.is((await svc.get('/executions/exec_0198c0de00007000a000000000000009/export')).status, 404);
});

check('200: an export hides what a data policy hides', async (t, svc) => {
  const id = await svc.run(
    {
      nodes: { a: call },
      data_policy: { pii_fields: ['email'] },
    },
    { email: 'ann@example.com' },
  );
  const { body } = await svc.get<JsonObject>(`/executions/${id}/export`);
  t.is(body['redacted'], true);
  t.false(JSON.stringify(body['events']).includes('ann@example.com'));
  t.is(body['snapshot'], null);
});
