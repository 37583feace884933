import test, { type ExecutionContext } from 'ava';
import { randomBytes } from 'node:crypto';

import { createIds } from '../../../../src/shared/clients/system-ids.ts';
import {
  createWebhookDelivering,
  type WebhookDelivering,
} from '../../../../src/shared/engine/webhooks/deliver-webhooks.ts';
import { createWebhook } from '../../../../src/shared/engine/webhooks/create-webhook.ts';
import { createSafeFetch } from '../../../../src/shared/security/safe-fetch.ts';
import { eventually } from '../../../support/eventually.ts';
import { makeSecretBox } from '../../../support/secrets.ts';
import { openTestStore } from '../../../support/stores.ts';
import {
  isSigned,
  startReceiver,
  type Received,
} from '../../../support/servers/webhook-receiver.ts';
import { commitOne, start } from '../../store/contract/drive.ts';
import { makeEvent, makePlan, makeTenantId } from '../../store/contract/make.ts';

test('messages of an execution arrive signed, once, and in order', async (t) => {
  const scene = await openScene(t);
  const { receiver, secret, store, tenantId } = scene;
  const execution = await start(store, { tenantId });
  for (const status of ['paused', 'running', 'completed'] as const) {
    await commitOne(store, makePlan(execution, { status, events: [makeEvent()] }));
  }
  await scene.turnUntil(4);
  t.deepEqual(typesOf(receiver.received), [
    'execution.running',
    'execution.paused',
    'execution.running',
    'execution.completed',
  ]);
  t.true(receiver.received.every((one) => isSigned(one, secret)));
  t.is(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 4);
  t.like(receiver.received[3]?.body.data, {
    tenant_id: tenantId,
    execution_id: execution.executionId,
    workflow_id: 'greet',
    status: 'completed',
  });
});

test('a refused delivery is sent again later, and holds back the following ones', async (t) => {
  const scene = await openScene(t, (_, count) => (count <= 2 ? 500 : 200));
  const { receiver, store, tenantId, due } = scene;
  const execution = await start(store, { tenantId });
  await commitOne(store, makePlan(execution, { status: 'completed', events: [makeEvent()] }));
  await scene.turnUntil(1);
  t.like((await scene.log())[1], { status: 'pending', attempts: 1, lastStatus: 500 });
  t.is((await scene.delivering.round()).found, 0);
  await due();
  await scene.turnUntil(2);
  await due();
  await scene.turnUntil(4);
  t.deepEqual(typesOf(receiver.received), [
    'execution.running',
    'execution.running',
    'execution.running',
    'execution.completed',
  ]);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  t.is(new Set(ids).size, 2);
  t.deepEqual(
    (await scene.log()).map(({ status, attempts }) => [status, attempts]),
    [
      ['delivered', 1],
      ['delivered', 3],
    ],
  );
});

test('attempts grow apart, and after about a day a message is given up', async (t) => {
  const scene = await openScene(t, () => 503);
  await start(scene.store, { tenantId: scene.tenantId });
  const waits: number[] = [];
  for (let attempt = 1; ; attempt += 1) {
    await scene.turnUntil(attempt);
    const [delivery] = await scene.log();
    if (delivery?.status !== 'pending') break;
    waits.push(Date.parse(delivery.nextAttemptAt ?? '') - Date.now());
    await scene.due();
  }
  t.deepEqual(
    waits,
    waits.toSorted((one, other) => one - other),
  );
  const hours = waits.reduce((sum, wait) => sum + wait, 0) / 3_600_000;
  t.true(hours > 20 && hours < 30, `${hours} hours`);
  t.like((await scene.log())[0], { status: 'failed', attempts: 11, lastError: 'answered 503' });
});

test('a message that was given up gets one attempt more for each redelivery', async (t) => {
  const scene = await openScene(t, (_, count) => (count <= 12 ? 503 : 200));
  const { store, tenantId } = scene;
  await start(store, { tenantId });
  for (let attempt = 1; attempt <= 11; attempt += 1) {
    await scene.turnUntil(attempt);
    await scene.due();
  }
  for (const [attempts, status] of [
    [12, 'failed'],
    [13, 'delivered'],
  ] as const) {
    const [webhook] = await store.webhooks.list(tenantId);
    const [given] = await scene.log();
    t.is(given?.status, 'failed');
    const { webhookId = '' } = webhook ?? {};
    const { deliveryId = '' } = given ?? {};
    const message = { tenantId, webhookId, deliveryId, actorId: 'token:ops' };
    t.is(await store.webhooks.redeliver(message), 'queued');
    await scene.turnUntil(attempts);
    t.like((await scene.log())[0], { status, attempts });
  }
});

test('410 disables the webhook', async (t) => {
  const scene = await openScene(t, () => 410);
  await start(scene.store, { tenantId: scene.tenantId });
  await scene.turnUntil(1);
  t.like((await scene.store.webhooks.list(scene.tenantId))[0], { status: 'disabled' });
  t.like((await scene.log())[0], { status: 'failed', lastStatus: 410 });
});

test('an address that may not be reached is never called', async (t) => {
  const scene = await openScene(t, () => 200, { allowPrivate: false });
  await start(scene.store, { tenantId: scene.tenantId });
  await scene.delivering.round();
  await eventually(async () => {
    if (!(await scene.log())[0]?.lastError) throw new Error('nothing was tried');
  });
  t.regex((await scene.log())[0]?.lastError ?? '', /may not be reached from here/);
  t.is(scene.receiver.received.length, 0);
});

test('a message under way at the end is broken off and given back', async (t) => {
  const hanging = Promise.withResolvers<number>();
  const scene = await openScene(t, () => hanging.promise);
  await start(scene.store, { tenantId: scene.tenantId });
  await scene.delivering.round();
  await eventually(() => {
    if (scene.receiver.received.length === 0) throw new Error('nothing has come');
  });
  await scene.delivering.close();
  hanging.resolve(200);
  t.like((await scene.log())[0], { status: 'pending', attempts: 0 });
  t.is((await scene.delivering.round()).found, 0);
});

test('a receiver that hangs does not hold up the others', async (t) => {
  const hanging = Promise.withResolvers<number>();
  const scene = await openScene(t, () => hanging.promise);
  const other = await startReceiver();
  t.teardown(() => other.close());
  for (let index = 0; index < 40; index += 1) {
    await start(scene.store, { tenantId: scene.tenantId });
  }
  const tenantId = makeTenantId();
  await scene.create(other.url, tenantId);
  await start(scene.store, { tenantId });
  await eventually(async () => {
    await scene.delivering.round();
    if (other.received.length === 0) throw new Error('the other has got nothing');
  });
  t.true(scene.receiver.received.length < 16);
  hanging.resolve(200);
});

async function openScene(
  t: ExecutionContext,
  answer?: Parameters<typeof startReceiver>[0],
  options: { readonly allowPrivate?: boolean } = {},
) {
  const database = await openTestStore('sqlite');
  const receiver = await startReceiver(answer);
  const { store } = database;
  const secrets = makeSecretBox();
  let settled = 0;
  const tenantId = makeTenantId();
  const deps = {
    store,
    ids: createIds({ now: Date.now, randomBytes }),
    randomBytes,
    secrets,
    checkUrl: () => undefined,
  };
  const create = (url: string, owner = tenantId) =>
    createWebhook(deps, { tenantId: owner, actorId: 'token:t' }, { url, eventTypes: null });
  const delivering: WebhookDelivering = createWebhookDelivering({
    store: store.webhooks,
    http: createSafeFetch({ allowPrivate: options.allowPrivate ?? true }),
    secrets,
    report: {
      count: (_, by) => void (settled += by),
      trouble: (what, error) => t.fail(`${what}: ${String(error)}`),
    },
    random: () => 0.5,
  });
  t.teardown(async () => {
    await delivering.close();
    await receiver.close();
    await database.close();
  });
  const { url } = receiver;
  const made = await create(url);
  const { webhookId } = made.webhook;
  const log = async () =>
    (await store.webhooks.deliveries({ webhookId, tenantId, limit: 50, offset: 0 })) ?? [];
  return {
    store,
    receiver,
    create,
    delivering,
    tenantId,
    secret: made.secret,
    log,
    /** Simulates the delay before the next attempt. */
    due: () =>
      database.age({ table: 'webhook_deliveries', columns: ['next_attempt_at'], byMs: 86_400_000 }),
    /** Runs rounds until this many messages have arrived and are settled. */
    turnUntil: (count: number) =>
      eventually(async () => {
        await delivering.round();
        if (receiver.received.length < count || settled < count) {
          throw new Error(`${receiver.received.length} have come, ${settled} are settled`);
        }
      }),
  };
}

function typesOf(received: readonly Received[]): readonly string[] {
  return received.map(({ body }) => body.type);
}
