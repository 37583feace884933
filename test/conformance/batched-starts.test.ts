import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';

/* Addition: several starts of a key gather, and one execution begins for all of them. */

const check = onBothStores();

const gathered = (batch: JsonObject, more: JsonObject = {}): JsonObject => ({
  workflow_id: 'gathered',
  nodes: { go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } } },
  batch,
  ...more,
});

interface Reading {
  readonly input: JsonObject;
  readonly state: JsonObject;
  readonly waiting_for: {
    readonly kind: string;
    readonly key: string | null;
    readonly until: string | null;
  } | null;
}

interface Explained {
  readonly blockers: readonly {
    readonly code: string;
    readonly message: string;
    readonly until: string | null;
    readonly position: number | null;
  }[];
  readonly ended: { readonly message: string } | null;
}

check('201: a batch closes with as many starts as it takes', async (t, svc) => {
  const id = await svc.register(gathered({ key: 'input.customer', max: 3, wait: '1h' }));
  const other = await svc.start(id, { customer: 'brown' });
  const acme: string[] = [];
  for (let at = 0; at < 4; at += 1) acme.push(await svc.start(id, { customer: 'acme', at }));
  const [first = '', second = '', third = '', fourth = ''] = acme;
  await svc.until(first, 'paused');
  const [, closed, scheduled] = await svc.events(first);
  const items = [0, 1, 2].map((at) => ({ customer: 'acme', at }));
  t.like(closed, { kind: 'BatchClosed', actor_id: 'system:scheduler' });
  t.deepEqual(closed?.payload, { execution_ids: [first, second, third], input: { items } });
  t.is(scheduled?.kind, 'NodeScheduled');
  const { body } = await svc.get<Reading>(`/executions/${first}`);
  t.deepEqual([body.input, body.state], [{ items }, { items }]);
  for (const execution of [second, third]) {
    t.is((await svc.read(execution)).status, 'cancelled');
    t.deepEqual(await svc.story(execution), ['WorkflowStarted', 'WorkflowCancelled']);
    const explained = await svc.get<Explained>(`/executions/${execution}/explain`);
    t.true(explained.body.ended?.message.includes(`batch: its input is in the batch of ${first}`));
  }
  for (const execution of [other, fourth]) await svc.untilWaitsFor(execution, 'batch');
});

check('201: a batch closes when its first start has waited', async (t, svc) => {
  const id = await svc.register(gathered({ max: 100, wait: '1s' }));
  const first = await svc.start(id, { at: 0 });
  const second = await svc.start(id, { at: 1 });
  await svc.until(second, 'cancelled');
  await svc.until(first, 'paused');
  const [started, closed] = await svc.events(first);
  t.deepEqual(closed?.payload['input'], { items: [{ at: 0 }, { at: 1 }] });
  const waitedMs = Date.parse(closed?.created_at ?? '') - Date.parse(started?.created_at ?? '');
  t.true(waitedMs >= 1_000, `${waitedMs} ms`);
});

check('200: one that waits says for which batch, its place, and until when', async (t, svc) => {
  const id = await svc.register(gathered({ key: 'input.customer', max: 5, wait: '1h' }));
  const first = await svc.start(id, { customer: 'acme' });
  const second = await svc.start(id, { customer: 'acme' });
  const { body } = await svc.get<Reading>(`/executions/${second}`);
  const [started] = await svc.events(first);
  const until = new Date(Date.parse(started?.created_at ?? '') + 3_600_000).toISOString();
  t.like(body.waiting_for, { kind: 'batch', key: 'acme', until });
  const listed = await svc.get<{ readonly executions: readonly Reading[] }>(
    `/executions?q=${encodeURIComponent(`workflow = ${id} and waiting = true`)}`,
  );
  t.deepEqual(listed.body.executions[0]?.waiting_for, body.waiting_for);
  const explained = await svc.get<Explained>(`/executions/${second}/explain`);
  t.like(explained.body.blockers[0], {
    code: 'waiting_for_place',
    message: 'gathers in a batch of key acme: number 2 of 2 starts, and the batch closes with 5',
    until,
    position: 2,
  });
});

check('201: an execution that is cancelled before is in no batch', async (t, svc) => {
  const id = await svc.register(gathered({ max: 2, wait: '1h' }));
  const cancelled = await svc.start(id, { at: 0 });
  t.is((await svc.cancel(cancelled)).body.status, 'cancelled');
  const first = await svc.start(id, { at: 1 });
  const second = await svc.start(id, { at: 2 });
  await svc.until(first, 'paused');
  t.deepEqual((await svc.get<Reading>(`/executions/${first}`)).body.input, {
    items: [{ at: 1 }, { at: 2 }],
  });
  t.is((await svc.read(second)).status, 'cancelled');
});

check('201: afterwards the batch waits for its place', async (t, svc) => {
  const more = { concurrency: { key: 'input.customer', limit: 1 } };
  const id = await svc.register(gathered({ key: 'input.customer', max: 2, wait: '1h' }, more));
  const started: string[] = [];
  for (let at = 0; at < 4; at += 1) started.push(await svc.start(id, { customer: 'acme', at }));
  const [first = '', , third = '', fourth = ''] = started;
  await svc.until(first, 'paused');
  await svc.until(fourth, 'cancelled');
  await svc.untilWaitsFor(third, 'concurrency');
  await svc.deliver(first, 'go');
  await svc.until(third, 'paused');
  const items = [2, 3].map((at) => ({ customer: 'acme', at }));
  t.deepEqual((await svc.get<Reading>(`/executions/${third}`)).body.input, { items });
});

check('201: a delayed execution joins a batch when its time has come', async (t, svc) => {
  const id = await svc.register(gathered({ max: 2, wait: '1h' }));
  const delayed = await svc.start(id, { at: 0 }, { start_after: '3s' });
  const first = await svc.start(id, { at: 1 });
  await svc.untilWaitsFor(delayed, 'start_after');
  await svc.until(first, 'paused');
  t.deepEqual((await svc.get<Reading>(`/executions/${first}`)).body.input, {
    items: [{ at: 1 }, { at: 0 }],
  });
  await svc.until(delayed, 'cancelled');
});

check('201: a retry and a fork have the input of the batch, and gather no more', async (t, svc) => {
  const more = {
    state_schema: { type: 'object', required: ['at'], properties: { at: { type: 'integer' } } },
    rate: { key: 'string(input.at)', limit: 100, per: '1s' },
  };
  const id = await svc.register(gathered({ max: 2, wait: '1h' }, more));
  t.is((await svc.post('/executions', { workflow_id: id, input: { at: 'x' } })).status, 400);
  const first = await svc.start(id, { at: 1 });
  const second = await svc.start(id, { at: 2 });
  await svc.until(first, 'paused');
  const items = [{ at: 1 }, { at: 2 }];
  const inputOf = async (execution: string) =>
    (await svc.get<Reading>(`/executions/${execution}`)).body.input;
  const fork = (of: string, at: JsonObject) =>
    svc.post<{ readonly execution_id: string }>(`/executions/${of}/fork`, at);
  const { body: forked } = await fork(first, { at: 'go' });
  await svc.until(forked.execution_id, 'paused');
  t.deepEqual(await inputOf(forked.execution_id), { items });
  // A fork of the time before the batch is a start.
  const { body: before } = await fork(first, { at: 1 });
  await svc.untilWaitsFor(before.execution_id, 'batch');
  t.deepEqual(await inputOf(before.execution_id), { at: 1 });
  await svc.cancel(first);
  const retry = (of: string) =>
    svc.post<{ readonly execution_id: string }>(`/executions/${of}/retry`, {});
  const { body: retried } = await retry(first);
  await svc.until(retried.execution_id, 'paused');
  await svc.cancel(retried.execution_id);
  const { body: again } = await retry(retried.execution_id);
  await svc.until(again.execution_id, 'paused');
  t.deepEqual(await inputOf(again.execution_id), { items });
  // The retry of one that was cancelled for the batch is a start.
  const { body: member } = await retry(second);
  await svc.until(before.execution_id, 'paused');
  t.deepEqual(await inputOf(before.execution_id), { items: [{ at: 1 }, { at: 2 }] });
  await svc.until(member.execution_id, 'cancelled');
});

check(
  '201: a run that continues a batch carries it, and its retry gathers no more',
  async (t, svc) => {
    const { nodes } = gathered({});
    const id = await svc.register(
      gathered(
        { key: 'string(input.at)', max: 2, wait: '1h' },
        {
          nodes: { begin: { kind: 'pass' }, ...(nodes as JsonObject) },
          edges: [{ from: 'begin', to: 'go' }],
          continue_as_new: { when: '!has(state.again)' },
        },
      ),
    );
    const first = await svc.start(id, { at: 1 });
    await svc.start(id, { at: 1 });
    await svc.until(first, 'completed');
    const { body } = await svc.get<{ readonly continued_as: string }>(
      `/executions/${first}/result`,
    );
    const next = body.continued_as;
    await svc.until(next, 'paused');
    const [started] = await svc.events(next);
    t.true(started?.payload['is_batch']);
    await svc.cancel(next);
    const retry = await svc.post<{ readonly execution_id: string }>(
      `/executions/${next}/retry`,
      {},
    );
    t.is(retry.status, 201, JSON.stringify(retry.body));
    await svc.until(retry.body.execution_id, 'paused');
  },
);

check(
  '201: a retry that continues under a new revision with batch gathers no more',
  async (t, svc) => {
    const definition = (more: JsonObject): JsonObject => ({
      workflow_id: 'grown',
      nodes: {
        work: { kind: { type: 'python_fn', module: 'm', function: 'f' } },
        go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
      },
      edges: [{ from: 'work', to: 'go' }],
      ...more,
    });
    const id = await svc.register(definition({}));
    const first = await svc.start(id, { at: 1 });
    await svc.complete(await svc.claim());
    await svc.until(first, 'paused');
    await svc.cancel(first);
    await svc.register(definition({ workflow_version: '2.0.0', batch: { max: 5, wait: '1h' } }));
    const retry = await svc.post<{ readonly execution_id: string }>(`/executions/${first}/retry`, {
      revision: 'latest',
    });
    t.is(retry.status, 201, JSON.stringify(retry.body));
    await svc.until(retry.body.execution_id, 'paused');
  },
);

check('400: rules that cannot be', async (t, svc) => {
  for (const [batch, more, pointers] of [
    [{}, {}, ['/batch/max', '/batch/wait']],
    [{ max: 1, wait: '1h' }, {}, ['/batch/max']],
    [{ max: 1_001, wait: '1h' }, {}, ['/batch/max']],
    [{ max: 2, wait: 0 }, {}, ['/batch/wait']],
    [{ max: 2, wait: '1h', key: 3 }, {}, ['/batch/key']],
    [{ max: 2, wait: '1h', size: 3 }, {}, ['/batch/size']],
    [{ max: 2, wait: '1h' }, { debounce: { wait: '1s' } }, ['/batch']],
    ...['refuse', 'cancel_oldest'].map(
      (whenFull) =>
        [
          { max: 2, wait: '1h' },
          { concurrency: { limit: 1, when_full: whenFull } },
          ['/concurrency/when_full'],
        ] as const,
    ),
  ] as const) {
    const { status, body } = await svc.post<{
      readonly problems: readonly { readonly pointer: string }[];
    }>('/workflows', { ir: gathered(batch, more) });
    t.is(status, 400, JSON.stringify(batch));
    t.deepEqual(
      body.problems.map((problem) => problem.pointer),
      pointers,
    );
  }
});
