import { ConflictError, createClient, type ExecutionEvent, type SvcClient } from 'svc-sdk/client';
import { cel } from 'svc-sdk/workflow';

import { onBothStores, type Place } from '../../support/both-stores.ts';
import type { TestTenant } from '../../support/tenant.ts';

/* The client against the real service. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };
const approval = { kind: { type: 'human_approval', description: 'Ship it?' }, output_key: 'said' };
const event = { kind: { type: 'wait', condition: 'external_event', correlation_key: 'paid' } };

const clientOf = ({ runtime }: Place, { tenantId }: TestTenant): SvcClient =>
  createClient({ url: runtime.url, token: runtime.apiKey, tenantId });

check('an execution is started, waited for, and gives its output', async (t, svc, place) => {
  const client = clientOf(place, svc);
  const nodes = { a: { kind: 'pass', output: { seen: true }, output_key: 'out' } };
  const registered = await client.workflows.register({ workflow_id: 'w', version: '7', nodes });
  t.deepEqual(registered.workflow_id, 'w');
  const reference: {
    workflowId: string;
    '~io'?: { input: { n: number }; output: { seen: boolean } };
  } = { workflowId: 'w' };
  const handle = await client.start(reference, { n: 1 });
  const output = await handle.result({ timeout: '30s' });
  t.true(output.seen);
  t.deepEqual(await client.run('w', { n: 2 }, { timeout: '30s' }), { seen: true });
  t.like(await handle.describe(), { status: 'completed', input: { n: 1 }, workflow_version: '7' });
  t.deepEqual(await client.execution(handle.id).result(), { seen: true });
});

check('an execution begins later, and has a deadline', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: event } });
  const at = new Date('2099-01-31T09:00:00.000Z');
  const handle = await client.start(
    'w',
    {},
    { startAfter: at, startDeadline: new Date('2099-02-01T00:00:00.000Z') },
  );
  t.like((await handle.describe()).waiting_for, { kind: 'start_after', until: at.toISOString() });
  await t.throwsAsync(client.start('w', {}, { startAfter: '1h', startDeadline: 1_000 }), {
    message: /start_deadline must be later than start_after/,
  });
  await t.throwsAsync(client.start('w', {}, { startDeadline: '2099' }), {
    message: /^startDeadline, if not a Date, must be milliseconds or text such as "30s"/,
  });
});

check('starts bring rules of flow control', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: event } });
  const key = cel`input.customer`;
  const limited = { concurrency: { key, limit: 1, whenFull: 'refuse' } } as const;
  await client.start('w', { customer: 'acme' }, limited);
  const refused = client.start('w', { customer: 'acme' }, limited);
  await t.throwsAsync(refused, { instanceOf: ConflictError });
  await client.start('w', { customer: 'brown' }, limited);
  for (const rules of [
    { rate: { key, limit: 1, per: '1d', burst: 1 } },
    { debounce: { key, wait: '1h', maxWait: '2h' } },
    { batch: { key, max: 2, wait: '1h' } },
    { fairness: { key, weight: cel`2` } },
  ] as const) {
    await client.start('w', { customer: 'acme' }, rules);
    const second = await client.start('w', { customer: 'acme' }, rules);
    const [kind] = Object.keys(rules);
    const [started] = await client.executions.history(second.id).toArray();
    t.deepEqual(Object.keys(started?.payload['start_rules'] ?? {}), [kind]);
  }
  // @ts-expect-error -- a key is no text
  const wrong = client.start('w', {}, { concurrency: { key: 'acme', limit: 1 } });
  await t.throwsAsync(wrong, { message: /concurrency.key must be an expression/ });
});

check('dead letters are listed, and one is read', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.run({ nodes: { a: { ...call, retry_policy: 'no_retry' } } }, { sku: 'x' });
  await svc.breakDown('a', { error: 'out of stock' });
  const [letter] = await client.workItems.deadLetters().toArray();
  t.like(letter, { node_id: 'a', error: 'out of stock' });
  t.like(await client.workItems.deadLetter(letter?.id ?? ''), {
    input: { sku: 'x' },
    actions: { requeue: { allowed: false } },
  });
});

check('many executions are started, each with a verdict', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: call } });
  const entries = [1, 2, 3].map((n) => ({
    workflow_id: n === 2 ? 'nobody' : 'w',
    input: { n },
    idempotency_key: `order-${n}`,
  }));
  const verdicts = await client.executions.startMany(entries);
  t.deepEqual(
    verdicts.map(({ status, error }) => error ?? status),
    [201, 'not found: workflow nobody', 201],
  );
  t.deepEqual((await svc.read(verdicts[2]?.execution_id ?? '')).input, { n: 3 });
  t.deepEqual(await client.executions.startMany(entries), verdicts);
});

check('a wait for a result ends in time, and the execution continues', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: event } });
  const handle = await client.start('w', {});
  const error = await t.throwsAsync(handle.result({ timeout: 30 }), { name: 'TimeoutError' });
  t.like(error, { executionId: handle.id, code: 'timeout' });
  t.regex(error.message, /has not ended within 30 ms; it continues/);
  await t.throwsAsync(client.run('w', {}, { timeout: 30 }), { name: 'TimeoutError' });
  const waiting = handle.result();
  t.true((await handle.signal('paid', { amount: 3 })).accepted);
  await waiting;
  t.is((await handle.describe()).status, 'completed');
});

check('a failure and a cancel reject with an error of their own', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: { ...call, retry_policy: { max_attempts: 1 } } } });
  const failing = await client.start('w', {});
  const failed = t.throwsAsync(failing.result(), { name: 'ExecutionFailedError' });
  await svc.breakDown('a');
  t.like(await failed, { executionId: failing.id, errorClass: 'error', nodeId: 'a' });
  t.regex((await failed).message, /failed: node a failed: it broke\. .*svc execution events exec_/);
  const leaving = await client.start('w', {});
  const left = t.throwsAsync(leaving.result(), { name: 'ExecutionCancelledError' });
  t.is((await leaving.cancel()).status, 'cancelled');
  t.like(await left, { executionId: leaving.id, code: 'execution_cancelled' });
  const again = await failing.retry();
  t.not(again.id, failing.id);
  await svc.work('a');
  await again.result();
});

check('a fork carries an execution up to a node, and is listed', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: call } });
  const first = await client.start('w', {});
  await svc.work('a');
  await first.result();
  const preview = await client.executions.previewFork(first.id, { at: 'a' });
  t.deepEqual([preview.begins, preview.kept], [['a'], []]);
  const fork = await first.fork({ at: 'a' }, { idempotencyKey: 'once' });
  t.is((await first.fork({ at: 'a' }, { idempotencyKey: 'once' })).id, fork.id);
  await svc.work('a');
  await fork.result();
  const { forks } = await client.executions.forks(first.id);
  t.deepEqual(
    forks.map(({ execution_id: id }) => id),
    [fork.id],
  );
});

check('an approval is listed, decided and waited for', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: approval } });
  const handle = await client.start('w', {});
  const [open] = (await handle.approvals()).pending;
  t.like(open, { node_id: 'a', description: 'Ship it?' });
  t.true((await handle.approve({ user_id: 'lee', comment: 'yes' })).accepted);
  t.like(await handle.result(), { decision: 'approved' });
  const other = await client.start('w', {});
  t.true((await other.reject()).accepted);
  await t.throwsAsync(other.result(), { name: 'ExecutionFailedError' });
});

check('events come as they are recorded, each once and in order', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: { a: call } });
  const handle = await client.start('w', {});
  const kinds: string[] = [];
  for await (const one of handle.events()) {
    kinds.push(one.kind);
    if (one.kind === 'NodeScheduled') await svc.work('a');
  }
  t.is(kinds[0], 'WorkflowStarted');
  t.is(kinds.at(-1), 'WorkflowCompleted');
  const history = await handle.history().toArray();
  t.deepEqual(
    history.map(({ kind }) => kind),
    kinds,
  );
  const [third] = await firstOf(handle.events({ after: 2 }), 1);
  t.is(third?.sequence, 3);
  t.deepEqual(await firstOf(handle.events({ after: history.length }), 1), []);
  return kinds;
});

check(
  'a consumer that stops reading events, or aborts, closes the stream',
  async (t, svc, place) => {
    const client = clientOf(place, svc);
    await svc.register({ nodes: { a: event } });
    const handle = await client.start('w', {});
    t.is((await firstOf(handle.events(), 1)).length, 1);
    const leaving = new AbortController();
    const reason = new Error('enough');
    const reading = (async () => {
      for await (const one of handle.events({ signal: leaving.signal })) {
        if (one.kind === 'ExternalEventWaiting') leaving.abort(reason);
      }
    })();
    t.is(await t.throwsAsync(reading), reason);
    await handle.cancel();
  },
);

check('lists are read to their end, page by page', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({ nodes: {} });
  const ids: string[] = [];
  for (let n = 0; n < 7; n += 1) ids.unshift((await client.start('w', { n })).id);
  for (const limit of [1, 3, 7, 50]) {
    const seen: string[] = [];
    for await (const one of client.executions.list({ limit })) seen.push(one.execution_id);
    t.deepEqual(seen, ids, `${limit}`);
  }
  t.is((await client.executions.list({ limit: 2 }).page()).executions.length, 2);
  const events = client.executions.history(ids[0] ?? '', { limit: 1 });
  t.is((await events.toArray()).at(-1)?.kind, 'WorkflowCompleted');
  for (const version of ['1', '2', '3']) await svc.register({ nodes: {}, version });
  t.is((await client.workflows.list({ limit: 2 }).toArray()).length, 4);
  const items = await client.audit.list({ limit: 3 }).toArray();
  t.is(items.length, (await client.audit.list().page()).total);
});

check('missing objects and wrong requests have errors of their own', async (t, svc, place) => {
  const client = clientOf(place, svc);
  const missing = await t.throwsAsync(client.start('nothing', {}), { name: 'NotFoundError' });
  t.like(missing, { status: 404, code: 'not_found' });
  t.is(missing.message, `not found: workflow nothing (in tenant ${svc.tenantId})`);
  t.regex(String((missing as { requestId?: string }).requestId), /./);
  await svc.register({ nodes: {}, state_schema: { properties: { n: { type: 'number' } } } });
  t.like(await t.throwsAsync(client.start('w', { n: 'x' })), {
    name: 'ValidationError',
    status: 400,
  });
  const once = { idempotencyKey: 'k' };
  const { id } = await client.start('w', { n: 1 }, once);
  t.is((await client.start('w', { n: 1 }, once)).id, id);
  await t.throwsAsync(client.start('w', { n: 2 }, once), { name: 'ConflictError' });
  await t.throwsAsync(createClient({ url: place.runtime.url, token: 'wrong' }).service.workers(), {
    name: 'AuthenticationError',
  });
  const { token } = await client.tokens.create({ name: 'reader', role: 'viewer' });
  const reader = createClient({ url: place.runtime.url, token });
  t.regex(
    (await t.throwsAsync(reader.start('w', {}), { name: 'PermissionError' })).message,
    /insufficient role — developer or operator required/,
  );
});

check('artifacts are bytes, both ways', async (t, svc, place) => {
  const client = clientOf(place, svc);
  const bytes = new Uint8Array([0, 255, 10, 13]);
  const { hash, size } = await client.artifacts.upload(bytes, { contentType: 'image/png' });
  t.is(size, 4);
  const found = await client.artifacts.download(hash);
  t.deepEqual([...found.bytes], [...bytes]);
  t.is(found.contentType, 'image/png');
});

check('a run that continues as others gives the output of the last', async (t, svc, place) => {
  const client = clientOf(place, svc);
  await svc.register({
    start_node: 'a',
    nodes: { a: { kind: 'pass', output: { n: { expr: 'state.n + 1' } } }, b: { kind: 'pass' } },
    edges: [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a', condition: 'state.n < 3' },
    ],
    continue_as_new: { when: 'state.n < 3' },
  });
  const output = await client.run('w', { n: 0 }, { timeout: '30s' });
  t.deepEqual(output, { n: 3 });
});

async function firstOf(
  events: AsyncGenerator<ExecutionEvent, void, undefined>,
  count: number,
): Promise<readonly ExecutionEvent[]> {
  const seen: ExecutionEvent[] = [];
  for await (const one of events) {
    seen.push(one);
    if (seen.length === count) break;
  }
  return seen;
}
