import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';

import { onBothStores } from '../support/both-stores.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import { isSigned, startReceiver, type Receiver } from '../support/servers/webhook-receiver.ts';

/* Webhooks report the events of executions to their subscribers. */

const check = onBothStores({
  env: {
    SVC_WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
    SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  },
});
const call = { kind: 'python_fn', module: 'm', function: 'f', retry_policy: 'no_retry' };

interface Made {
  readonly webhook_id: string;
  readonly secret: string;
}

check('200: events of a run are sent in order, signed', async (t, svc) => {
  const { receiver, hook } = await listen(t, svc);
  const id = await svc.run({
    nodes: { ask: { kind: 'human_approval', description: 'ship it?' }, a: call },
    edges: [{ from: 'ask', to: 'a' }],
  });
  await svc.approve(id, { decision: 'approved' });
  await svc.work('a');
  await svc.until(id, 'completed');
  await untilReceived(receiver, 4);
  t.true(receiver.received.every((one) => isSigned(one, hook.secret)));
  for (const { headers, body } of receiver.received) {
    t.is(headers['content-type'], 'application/json');
    t.like(body.data, { execution_id: id, tenant_id: svc.tenantId, workflow_id: 'w' });
  }
  t.like(receiver.received[0]?.body.data, { node_id: 'ask', description: 'ship it?' });
  const log = await deliveries(svc, hook);
  t.true(log.every(({ status, attempts }) => status === 'delivered' && attempts === 1));
  return receiver.received.map(({ body }) => body.type);
});

check(
  '200: a dead letter is sent, and only the events that the webhook asks for',
  async (t, svc) => {
    const event_types = ['work_item.dead_lettered', 'execution.failed'];
    const { receiver } = await listen(t, svc, { event_types });
    const id = await svc.run({ nodes: { a: call } });
    const item = await svc.claim();
    expectStatus(await svc.fail(item, { error: 'broken' }), 200);
    await svc.until(id, 'failed');
    await untilReceived(receiver, 2);
    t.like(receiver.received[0]?.body.data, { work_item_id: item.id, error: 'broken' });
    return receiver.received.map(({ body }) => body.type);
  },
);

check('200: a receiver that fails gets the event again, under the same id', async (t, svc) => {
  const { receiver, hook } = await listen(t, svc, {}, (count) => (count === 1 ? 500 : 200));
  const id = await svc.run({ nodes: { a: {} } });
  await svc.until(id, 'completed');
  await untilReceived(receiver, 2);
  const [first, second] = receiver.received;
  t.is(first?.headers['webhook-id'], second?.headers['webhook-id']);
  t.is(first?.text, second?.text);
  t.true(second !== undefined && isSigned(second, hook.secret));
});

check('202: a delivered message is sent again, under the same id', async (t, svc) => {
  const { receiver, hook } = await listen(t, svc, { event_types: ['execution.completed'] });
  await svc.until(await svc.run({ nodes: { a: {} } }), 'completed');
  await untilReceived(receiver, 1);
  const [before] = await deliveries(svc, hook);
  t.like(before, { status: 'delivered', attempts: 1 });
  const path = `/webhooks/${hook.webhook_id}/deliveries/${before?.id ?? ''}/redeliver`;
  t.like(expectStatus(await svc.post<object>(path, {}), 202), { status: 'pending' });
  await untilReceived(receiver, 2);
  const [first, second] = receiver.received;
  t.is(first?.headers['webhook-id'], second?.headers['webhook-id']);
  t.is(first?.text, second?.text);
  t.true(second !== undefined && isSigned(second, hook.secret));
  const [after] = await deliveries(svc, hook);
  t.like(after, { status: 'delivered', attempts: 2 });
});

check('200: nothing is sent any more once a webhook is deleted', async (t, svc, { runtime }) => {
  const { hook, receiver } = await listen(t, svc);
  const path = `/webhooks/${hook.webhook_id}`;
  t.is((await svc.get(`${path}/deliveries`)).status, 200);
  const { tenantId } = svc;
  const { status } = await runtime.request({ method: 'DELETE', path, tenantId });
  t.is(status, 200);
  const other = await listen(t, svc);
  await svc.until(await svc.run({ nodes: { a: {} } }), 'completed');
  await untilReceived(other.receiver, 1);
  t.is(receiver.received.length, 0);
});

async function listen(
  t: ExecutionContext,
  svc: TestTenant,
  more: object = {},
  answer: (count: number) => number = () => 200,
): Promise<{ readonly receiver: Receiver; readonly hook: Made }> {
  const receiver = await startReceiver((_, count) => answer(count));
  t.teardown(() => receiver.close());
  const reply = await svc.post<Made>('/webhooks', { url: receiver.url, ...more });
  return { receiver, hook: expectStatus(reply, 201) };
}

function untilReceived(receiver: Receiver, count: number): Promise<void> {
  return eventually(() => {
    if (receiver.received.length < count) throw new Error(`${receiver.received.length} have come`);
  });
}

async function deliveries(svc: TestTenant, hook: Made) {
  const path = `/webhooks/${hook.webhook_id}/deliveries`;
  return eventually(async () => {
    const reply = await svc.get<{
      readonly deliveries: readonly {
        readonly id: string;
        readonly status: string;
        readonly attempts: number;
      }[];
    }>(path);
    const found = expectStatus(reply, 200).deliveries;
    if (found.some(({ status }) => status === 'pending')) throw new Error('some are pending');
    return found;
  });
}
