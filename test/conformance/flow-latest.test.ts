import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';

/* Addition: starts that cancel the oldest execution of their key. */

const check = onBothStores();
const GO = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } };

const latest = (concurrency: JsonObject, nodes: JsonObject = { go: GO }) => ({
  workflow_id: 'reports',
  concurrency: { when_full: 'cancel_oldest', ...concurrency },
  nodes,
});

interface Explained {
  readonly blockers: readonly { readonly code: string; readonly waits_for?: readonly string[] }[];
  readonly ended: { readonly message: string } | null;
}

check('201: a start cancels the execution that has its place', async (t, svc) => {
  const id = await svc.register(latest({ key: 'input.customer', limit: 1 }));
  const first = await svc.start(id, { customer: 'acme' });
  const other = await svc.start(id, { customer: 'brown' });
  await svc.until(first, 'paused');
  await svc.until(other, 'paused');
  const second = await svc.start(id, { customer: 'acme' });
  await svc.until(first, 'cancelled');
  await svc.until(second, 'paused');
  const [start] = await svc.events(second);
  const reason = `concurrency.when_full is cancel_oldest: it made room for ${second}, started by ${start?.actor_id}`;
  const last = (await svc.events(first)).at(-1);
  t.like(last, {
    kind: 'WorkflowCancelled',
    actor_id: 'system:scheduler',
    payload: { reason },
  });
  const explained = await svc.get<Explained>(`/executions/${first}/explain`);
  t.is(explained.body.ended?.message, `it was cancelled: ${reason}`);
  const audit = await svc.get<{ readonly items: readonly JsonObject[] }>(
    `/audit?execution_id=${first}&event_type=workflow_cancelled`,
  );
  t.like(audit.body.items[0], { actor_id: 'system:scheduler' }, JSON.stringify(audit.body));
  t.is((await svc.read(other)).status, 'paused');
});

check('201: the new execution waits until the old one has undone its steps', async (t, svc) => {
  const call = (name: string) => ({ kind: { type: 'python_fn', module: 'm', function: name } });
  const nodes = { book: { ...call('book'), undo: call('cancel') }, go: GO };
  const edges = [{ from: 'book', to: 'go' }];
  const id = await svc.register({ ...latest({ limit: 1 }, nodes), edges });
  const first = await svc.start(id);
  await svc.work('book');
  await svc.until(first, 'paused');
  const second = await svc.start(id);
  const ending = await svc.untilEvent(first, 'WorkflowEnding');
  t.like(ending.payload, { outcome: 'cancelled' });
  t.regex(JSON.stringify(ending.payload), new RegExp(second));
  const third = await svc.start(id);
  await svc.until(second, 'cancelled');
  t.deepEqual(await svc.story(second), ['WorkflowStarted', 'WorkflowCancelled']);
  const waiting = await svc.get<JsonObject>(`/executions/${third}`);
  t.like(waiting.body['waiting_for'], { kind: 'concurrency' });
  const explained = await svc.get<Explained>(`/executions/${third}/explain`);
  t.like(explained.body.blockers[0], { code: 'waiting_for_place', waits_for: [first] });
  t.deepEqual(await svc.story(third), ['WorkflowStarted']);
  await svc.work('book.undo');
  await svc.until(first, 'cancelled');
  const undone = await svc.get<Explained>(`/executions/${first}/explain`);
  t.regex(undone.body.ended?.message ?? '', /^it was cancelled: concurrency.* 1 step is undone$/);
  await svc.work('book');
  await svc.until(third, 'paused');
});

check('201: the newest executions stay, as many as the limit', async (t, svc) => {
  const id = await svc.register(latest({ limit: 2 }));
  const executions: string[] = [];
  for (let made = 0; made < 5; made += 1) executions.push(await svc.start(id));
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = executions;
  for (const old of [first, second, third]) await svc.until(old, 'cancelled');
  for (const young of [fourth, fifth]) await svc.until(young, 'paused');
  const { body } = await svc.get<{ readonly total: number }>(
    `/executions/counts?workflow_id=${id}&status=cancelled`,
  );
  t.is(body.total, 3);
});

check('201: executions that a version with queue made wait are cancelled too', async (t, svc) => {
  const id = await svc.register({ ...latest({ when_full: 'queue', limit: 1 }), version: '1' });
  const first = await svc.start(id);
  const second = await svc.start(id);
  await svc.until(first, 'paused');
  await svc.register({ ...latest({ limit: 1 }), version: '2' });
  const third = await svc.start(id);
  await svc.until(third, 'paused');
  t.is((await svc.read(first)).status, 'cancelled');
  t.is((await svc.read(second)).status, 'cancelled');
});

check('201: a retry is a start, and cancels the oldest', async (t, svc) => {
  const id = await svc.register(latest({ limit: 1 }));
  const first = await svc.start(id);
  await svc.until(first, 'paused');
  const second = await svc.start(id);
  await svc.until(second, 'paused');
  const retry = await svc.post<{ readonly execution_id: string }>(`/executions/${first}/retry`);
  t.is(retry.status, 201);
  await svc.until(second, 'cancelled');
  await svc.until(retry.body.execution_id, 'paused');
});

check('201: a batch of one key leaves its last executions', async (t, svc) => {
  const id = await svc.register(latest({ limit: 1 }));
  const executions = Array.from({ length: 20 }, () => ({ workflow_id: id, input: {} }));
  const { body } = await svc.post<{
    readonly results: readonly { readonly execution_id: string }[];
  }>('/executions/batch', { executions });
  const last = body.results.at(-1)?.execution_id ?? '';
  await svc.until(last, 'paused');
  for (const { execution_id: executionId } of body.results.slice(0, -1)) {
    await svc.until(executionId, 'cancelled');
  }
  t.is((await svc.read(last)).status, 'paused');
});
