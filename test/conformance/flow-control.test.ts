import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';

/* Addition: executions of a workflow that wait for a place of their key. */

const check = onBothStores();
const WAITING = {
  go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
};

interface Explained {
  readonly blockers: readonly {
    readonly code: string;
    readonly message: string;
    readonly position?: number;
    readonly waits_for?: readonly string[];
  }[];
}

const orders = (concurrency: JsonObject) => ({
  workflow_id: 'orders',
  concurrency,
  nodes: WAITING,
});

check('200: executions of a key run as many at a time as it may, in order', async (t, svc) => {
  const id = await svc.register(orders({ key: 'input.customer', limit: 1 }));
  const first = await svc.start(id, { customer: 'acme' });
  const second = await svc.start(id, { customer: 'acme' });
  const third = await svc.start(id, { customer: 'acme' });
  const other = await svc.start(id, { customer: 'brown' });
  await svc.until(first, 'paused');
  await svc.until(other, 'paused');
  const explain = async (execution: string) => {
    const { status, body } = await svc.get<Explained>(`/executions/${execution}/explain`);
    t.is(status, 200);
    return body.blockers[0];
  };
  t.like(await explain(third), {
    code: 'waiting_for_place',
    message: 'waits for a place: number 2 in the queue of key acme, concurrency limit 1 reached',
    position: 2,
    waits_for: [first],
  });
  t.deepEqual(await svc.story(second), ['WorkflowStarted']);
  t.is((await svc.read(second)).status, 'running');
  await svc.deliver(first, 'go');
  await svc.until(first, 'completed');
  await svc.until(second, 'paused');
  t.like(await explain(third), { code: 'waiting_for_place', position: 1, waits_for: [second] });
  await svc.cancel(second);
  await svc.until(third, 'paused');
  await svc.deliver(third, 'go');
  await svc.until(third, 'completed');
});

interface Listed {
  readonly execution_id: string;
  readonly waiting_for: { readonly kind: string; readonly key: string | null } | null;
}

check('200: a list and a reading say what an execution waits for', async (t, svc) => {
  const keyed = await svc.register(orders({ key: 'input.customer', limit: 1 }));
  const first = await svc.start(keyed, { customer: 'acme' });
  await svc.until(first, 'paused');
  const second = await svc.start(keyed, { customer: 'acme' });
  const waits = async () => {
    const lists = await Promise.all(
      [`/executions?workflow_id=${keyed}`, `/executions?q=workflow%20%3D%20${keyed}`].map((path) =>
        svc.get<{ readonly executions: readonly Listed[] }>(path),
      ),
    );
    const one = await svc.get<Listed>(`/executions/${second}`);
    for (const { body } of lists) {
      t.is(body.executions.find(({ execution_id: id }) => id === first)?.waiting_for, null);
      const listed = body.executions.find(({ execution_id: id }) => id === second);
      t.deepEqual(listed?.waiting_for, one.body.waiting_for);
    }
    return one.body.waiting_for;
  };
  t.like(await waits(), { kind: 'concurrency', key: 'acme' });
  await svc.cancel(first);
  await svc.until(second, 'paused');
  t.is(await waits(), null);
});

check('200: a query finds, counts and leaves out the executions that wait', async (t, svc) => {
  const id = await svc.register(orders({ limit: 1 }));
  const first = await svc.start(id);
  await svc.until(first, 'paused');
  const second = await svc.start(id);
  const find = async (query: string) => {
    const q = encodeURIComponent(`workflow = ${id} and ${query}`);
    const { body } = await svc.get<{ readonly executions: readonly Listed[] }>(
      `/executions?q=${q}`,
    );
    const count = await svc.get<{ readonly total: number }>(`/executions/counts?q=${q}`);
    t.is(count.body.total, body.executions.length, query);
    return body.executions.map((row) => row.execution_id);
  };
  t.deepEqual(await find('waiting = true'), [second]);
  t.deepEqual(await find('waiting = false'), [first]);
  t.deepEqual(await find('waiting = true and waiting = false'), []);
  t.deepEqual(await find('status = paused and waiting = true'), []);
  const wrong = await svc.get<{ readonly error: string }>('/executions?q=waiting%20%3D%20maybe');
  t.is(wrong.status, 400);
  t.regex(wrong.body.error, /waiting is true or false/);
  await svc.cancel(first);
  await svc.until(second, 'paused');
  t.deepEqual(await find('waiting = true'), []);
});

check('200: a data policy hides the key that an execution waits for', async (t, svc) => {
  const id = await svc.register({
    ...orders({ key: 'input.email', limit: 1 }),
    data_policy: { pii_fields: ['email'], action: 'mask' },
  });
  const first = await svc.start(id, { email: 'ann@example.com' });
  await svc.until(first, 'paused');
  const second = await svc.start(id, { email: 'ann@example.com' });
  const one = await svc.get<Listed>(`/executions/${second}`);
  t.like(one.body.waiting_for, { kind: 'concurrency', key: null });
  const explained = await svc.get<Explained>(`/executions/${second}/explain`);
  t.false(JSON.stringify(explained.body).includes('ann@'));
  const listed = await svc.get(`/executions?workflow_id=${id}`);
  t.false(JSON.stringify(listed.body).includes('ann@'));
});

check('200: an execution that waits can be cancelled, and has run nothing', async (t, svc) => {
  const id = await svc.register(orders({ limit: 1 }));
  const first = await svc.start(id);
  const second = await svc.start(id);
  const third = await svc.start(id);
  await svc.until(first, 'paused');
  t.is((await svc.cancel(second)).body.status, 'cancelled');
  t.deepEqual(await svc.story(second), ['WorkflowStarted', 'WorkflowCancelled']);
  const { body } = await svc.get<Explained>(`/executions/${third}/explain`);
  t.like(body.blockers[0], { code: 'waiting_for_place', position: 1 });
});

check('200: an event from outside lets no execution begin without its place', async (t, svc) => {
  const id = await svc.register(orders({ limit: 1 }));
  const first = await svc.start(id);
  const second = await svc.start(id);
  await svc.until(first, 'paused');
  await svc.deliver(second, 'go');
  await svc.cancel(first);
  await svc.until(second, 'completed');
  const [begun] = (await svc.events(second)).filter(({ kind }) => kind === 'NodeScheduled');
  const ended = (await svc.events(first)).at(-1);
  t.true((begun?.created_at ?? '') >= (ended?.created_at ?? 'none'));
});

check('400: a key that the input does not have, and rules that cannot be', async (t, svc) => {
  const id = await svc.register(orders({ key: 'input.customer', limit: 1 }));
  const missing = await svc.post('/executions', { workflow_id: id, input: {} });
  t.is(missing.status, 400);
  const tree = await svc.post('/executions', { workflow_id: id, input: { customer: {} } });
  t.like(tree, {
    status: 400,
    body: {
      error:
        'bad request: concurrency.key of the workflow: expression `input.customer` must give text, ' +
        'a number or a boolean, and gives an object for this input',
    },
  });
  for (const concurrency of [
    {},
    { limit: 0 },
    { limit: 1, key: 3 },
    { limit: 1, when_full: 'x' },
  ]) {
    const refused = await svc.post('/workflows', { ir: orders(concurrency) });
    t.is(refused.status, 400, JSON.stringify(concurrency));
  }
});
