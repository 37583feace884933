import type { TenantId } from '../../../../src/shared/domain/ids.ts';
import type { ClaimedDelivery, NewWebhook } from '../../../../src/shared/store/webhooks.ts';
import type { Store } from '../../../../src/shared/store/store.ts';
import type { TestStore } from '../../../support/stores.ts';
import { contractCases } from './contract-case.ts';
import { atOnce, claimOne, commitOne, judge, settleOf, start, startWithItems } from './drive.ts';
import { makeCause, makeEvent, makePlan, makeTenantId, makeUuid } from './make.ts';

export function webhookCases(name: string, open: () => TestStore): void {
  const check = contractCases(name, open);

  check('a webhook is listed for its tenant, newest first, and removed', async (t, { store }) => {
    const tenantId = makeTenantId();
    const one = await create(store, tenantId);
    const other = await create(store, tenantId, { eventTypes: ['approval.requested'] });
    await create(store, makeTenantId());
    t.like(other, { tenantId, eventTypes: ['approval.requested'], status: 'active' });
    t.deepEqual(await store.webhooks.list(tenantId), [other, one]);
    const actorId = 'token:ops';
    const { webhookId } = one;
    const foreign = { webhookId, tenantId: makeTenantId() };
    t.is(await store.webhooks.remove({ ...foreign, actorId }), null);
    t.is(await store.webhooks.remove({ webhookId: 'x', tenantId, actorId }), null);
    t.deepEqual(await store.webhooks.remove({ webhookId, tenantId, actorId }), one);
    t.is(await store.webhooks.remove({ webhookId, tenantId, actorId }), null);
    t.deepEqual(await store.webhooks.list(tenantId), [other]);
    t.is(await store.webhooks.deliveries({ webhookId, tenantId, limit: 10, offset: 0 }), null);
    const { items } = await store.audit.list({ ...ALL, tenantId });
    t.deepEqual(
      items.map(({ eventType }) => eventType),
      ['webhook_deleted', 'webhook_created', 'webhook_created'],
    );
  });

  check('a tenant has no more webhooks than it may', async (t, { store }) => {
    const tenantId = makeTenantId();
    const params = { webhooksMax: 2 };
    for (const _ of [1, 2]) await create(store, tenantId, params);
    t.is(await store.webhooks.create({ ...makeWebhook(tenantId), ...params }), null);
    t.is((await store.webhooks.list(tenantId)).length, 2);
  });

  check('a change of status is sent once, an unchanged one not at all', async (t, { store }) => {
    const tenantId = makeTenantId();
    await create(store, tenantId);
    const execution = await start(store, { tenantId });
    for (const status of ['running', 'paused', 'paused', 'running', 'failed'] as const) {
      const error = status === 'failed' ? 'boom' : null;
      await commitOne(store, makePlan(execution, { status, error, events: [makeEvent()] }));
    }
    await judge(store, makePlan(execution, { status: 'cancelled', events: [makeEvent()] }));
    const told = await drain(store, tenantId);
    t.deepEqual(
      told.map(({ eventType, data }) => [eventType, data]),
      ['running', 'paused', 'running', 'failed'].map((status) => [
        `execution.${status}`,
        {
          execution_id: execution.executionId,
          status,
          ...(status === 'failed' && { error: 'boom' }),
        },
      ]),
    );
    t.like(told[0], { workflowId: 'greet', workflowVersion: '1.0.0', attempt: 1, tenantId });
  });

  check('approvals and dead letters are sent, before the status', async (t, { store }) => {
    const { tenantId, tickets, executionId } = await startWithItems(store, [{}]);
    await create(store, tenantId);
    const item = await claimOne(store, tenantId);
    const { workItemId } = item.ticket;
    const ask = { visit: 0, description: 'ok?', timeout_ms: null };
    await commitOne(
      store,
      makePlan(item.ticket, {
        settles: [settleOf(item)],
        events: [
          makeEvent({ kind: 'NodeFailed' }),
          makeEvent({ kind: 'ApprovalRequested', payload: JSON.stringify(ask) }),
        ],
        deadLetters: [{ workItemId, attempt: 2, error: 'boom', ...makeCause() }],
        status: 'paused',
      }),
    );
    const told = await drain(store, tenantId);
    t.deepEqual(
      told.map(({ eventType, data }) => [eventType, data]),
      [
        ['approval.requested', { execution_id: executionId, node_id: 'node', ...ask }],
        [
          'work_item.dead_lettered',
          { execution_id: executionId, work_item_id: workItemId, attempt: 2, error: 'boom' },
        ],
        ['execution.paused', { execution_id: executionId, status: 'paused' }],
      ],
    );
    t.is(tickets.length, 1);
  });

  check('a dead letter without a fence is sent', async (t, { store }) => {
    const { tenantId, executionId } = await startWithItems(store, [{}]);
    await create(store, tenantId, { eventTypes: ['work_item.dead_lettered'] });
    const { workItemId } = (await claimOne(store, tenantId)).ticket;
    const settle = { workItemId, tenantId, record: null, deadLetter: 'lost' };
    await store.work.settleUnfenced(settle);
    await store.work.settleUnfenced(settle);
    const told = await drain(store, tenantId);
    t.deepEqual(
      told.map(({ data }) => data),
      [{ execution_id: executionId, work_item_id: workItemId, attempt: 0, error: 'lost' }],
    );
  });

  check('only webhooks that want a message get it, each its own', async (t, { store }) => {
    const tenantId = makeTenantId();
    const all = await create(store, tenantId);
    const some = await create(store, tenantId, { eventTypes: ['execution.completed'] });
    await create(store, makeTenantId());
    const execution = await start(store, { tenantId });
    await commitOne(store, makePlan(execution, { status: 'completed', events: [makeEvent()] }));
    const told = await drain(store, tenantId);
    const of = (webhookId: string) =>
      told.filter((each) => each.webhookId === webhookId).map(({ eventType }) => eventType);
    t.deepEqual(of(all.webhookId), ['execution.running', 'execution.completed']);
    t.deepEqual(of(some.webhookId), ['execution.completed']);
    t.is(new Set(told.map(({ deliveryId }) => deliveryId)).size, 3);
  });

  check('only the oldest pending message of an execution is given', async (t, { store }) => {
    const tenantId = makeTenantId();
    await create(store, tenantId);
    const execution = await start(store, { tenantId });
    await commitOne(store, makePlan(execution, { status: 'completed', events: [makeEvent()] }));
    const first = await claimAll(store, tenantId);
    t.deepEqual(
      first.map(({ eventType }) => eventType),
      ['execution.running'],
    );
    t.deepEqual(await claimAll(store, tenantId), []);
    await settle(store, first[0], { is: 'again', delayMs: 3_600_000, counts: true });
    t.deepEqual(await claimAll(store, tenantId), []);
  });

  check('a message that is not settled in time is given again', async (t, { store }) => {
    const tenantId = makeTenantId();
    await create(store, tenantId);
    await start(store, { tenantId });
    const [lost] = await claimAll(store, tenantId, { leaseMs: 0 });
    const [again] = await claimAll(store, tenantId);
    t.is(again?.deliveryId, lost?.deliveryId);
    t.is(again?.attempt, 2);
    await settle(store, lost, { is: 'failed' });
    const { status } = await onlyDelivery(store, again);
    t.is(status, 'pending');
    await settle(store, again, { is: 'delivered' }, 204);
    t.like(await onlyDelivery(store, again), {
      status: 'delivered',
      attempts: 2,
      lastStatus: 204,
      lastError: null,
      nextAttemptAt: null,
    });
  });

  check('an attempt that was broken off is given back', async (t, { store }) => {
    const tenantId = makeTenantId();
    await create(store, tenantId);
    await start(store, { tenantId });
    const [claimed] = await claimAll(store, tenantId);
    await settle(store, claimed, { is: 'again', delayMs: 0, counts: false });
    const [again] = await claimAll(store, tenantId);
    t.is(again?.attempt, 1);
  });

  check('twenty claimers share the messages, and none gets one twice', async (t, { store }) => {
    const tenantId = makeTenantId();
    await create(store, tenantId);
    for (let index = 0; index < 10; index += 1) await start(store, { tenantId });
    const claimed = (await atOnce(20, () => claimAll(store, tenantId, { limit: 3 }))).flat();
    const ids = claimed.map(({ deliveryId }) => deliveryId);
    t.is(new Set(ids).size, ids.length);
    t.is(ids.length + (await claimAll(store, tenantId)).length, 10);
  });

  check('messages behind another one hide none that may be sent', async (t, { store }) => {
    const tenantId = makeTenantId();
    await create(store, tenantId, { eventTypes: ['approval.requested'] });
    const asks = (count: number) =>
      Array.from({ length: count }, () =>
        makeEvent({
          kind: 'ApprovalRequested',
          payload: JSON.stringify({ visit: 0, description: 'ok?', timeout_ms: null }),
        }),
      );
    const many = await start(store, { tenantId });
    await commitOne(store, makePlan(many, { events: asks(600) }));
    const [first, ...others] = await claimAll(store, tenantId);
    t.deepEqual(others, []);
    await settle(store, first, { is: 'again', delayMs: 3_600_000, counts: true }, 503);
    const one = await start(store, { tenantId });
    await commitOne(store, makePlan(one, { events: asks(1) }));
    t.deepEqual(
      (await claimAll(store, tenantId)).map(({ executionId }) => executionId),
      [one.executionId],
    );
  });

  check('a webhook gets no more at a time than it may, a busy one none', async (t, { store }) => {
    const tenantId = makeTenantId();
    const { webhookId } = await create(store, tenantId);
    for (let index = 0; index < 4; index += 1) await start(store, { tenantId });
    t.deepEqual(await claimAll(store, tenantId, { exceptWebhooks: [webhookId] }), []);
    t.is((await claimAll(store, tenantId, { perWebhookMax: 3 })).length, 3);
    t.is((await claimAll(store, tenantId)).length, 1);
  });

  check(
    'a webhook that is permanently gone is disabled, and nothing is left',
    async (t, { store }) => {
      const tenantId = makeTenantId();
      const { webhookId } = await create(store, tenantId);
      const execution = await start(store, { tenantId });
      await start(store, { tenantId });
      const [claimed] = await claimAll(store, tenantId, { limit: 1 });
      await settle(store, claimed, { is: 'failed' }, 410, true);
      await commitOne(store, makePlan(execution, { status: 'completed', events: [makeEvent()] }));
      t.like((await store.webhooks.list(tenantId))[0], { webhookId, status: 'disabled' });
      t.deepEqual(await claimAll(store, tenantId), []);
      const log = await store.webhooks.deliveries({ webhookId, tenantId, limit: 10, offset: 0 });
      t.deepEqual(log?.map(({ status, lastError }) => [status, lastError]).toSorted(), [
        ['failed', 'it broke'],
        ['failed', 'the webhook was disabled'],
      ]);
      const { items } = await store.audit.list({ ...ALL, tenantId, eventType: 'webhook_disabled' });
      t.like(items[0], { actorId: 'system:scheduler', payload: { webhook_id: webhookId } });
    },
  );

  check('an ended message is sent again, and keeps its attempts', async (t, { store }) => {
    const tenantId = makeTenantId();
    const { webhookId } = await create(store, tenantId);
    await start(store, { tenantId });
    const [claimed] = await claimAll(store, tenantId);
    const deliveryId = claimed?.deliveryId ?? '';
    const message = { webhookId, tenantId, deliveryId, actorId: 'token:ops' };
    t.is(await store.webhooks.redeliver(message), 'pending');
    await settle(store, claimed, { is: 'failed' }, 500);
    t.is(await store.webhooks.redeliver({ ...message, tenantId: makeTenantId() }), null);
    t.is(await store.webhooks.redeliver({ ...message, webhookId: 'x' }), null);
    t.is(await store.webhooks.redeliver({ ...message, deliveryId: makeUuid() }), null);
    const { webhookId: other } = await create(store, tenantId);
    t.is(await store.webhooks.redeliver({ ...message, webhookId: other }), null);
    const answers = await atOnce(5, () => store.webhooks.redeliver(message));
    t.is(answers.filter((answer) => answer === 'queued').length, 1);
    t.is(answers.filter((answer) => answer === 'pending').length, 4);
    t.like(await onlyDelivery(store, claimed), { status: 'pending', attempts: 1, endedAt: null });
    const [again] = await claimAll(store, tenantId);
    t.like(again, { deliveryId, attempt: 2 });
    await settle(store, again, { is: 'delivered' }, 204);
    t.like(await onlyDelivery(store, again), { status: 'delivered', lastStatus: 204 });
    const eventType = 'webhook_redelivered';
    const { items } = await store.audit.list({ ...ALL, tenantId, eventType });
    t.is(items.length, 1);
    const payload = { webhook_id: webhookId, delivery_id: deliveryId };
    t.like(items[0], { actorId: 'token:ops', payload });
  });

  check('nothing is sent again to a disabled webhook', async (t, { store }) => {
    const tenantId = makeTenantId();
    const { webhookId } = await create(store, tenantId);
    await start(store, { tenantId });
    const [claimed] = await claimAll(store, tenantId);
    await settle(store, claimed, { is: 'failed' }, 410, true);
    const deliveryId = claimed?.deliveryId ?? '';
    const message = { webhookId, tenantId, deliveryId, actorId: 'token:ops' };
    t.is(await store.webhooks.redeliver(message), 'disabled');
    t.like(await onlyDelivery(store, claimed), { status: 'failed' });
  });

  check('deliveries are listed newest first, in pages, and pruned', async (t, database) => {
    const { store, age } = database;
    const tenantId = makeTenantId();
    const { webhookId } = await create(store, tenantId);
    for (let index = 0; index < 3; index += 1) await start(store, { tenantId });
    const list = (limit: number, offset: number) =>
      store.webhooks.deliveries({ webhookId, tenantId, limit, offset });
    const all = await list(10, 0);
    t.is(all?.length, 3);
    t.deepEqual([await list(2, 0), await list(2, 2)], [all?.slice(0, 2), all?.slice(2)]);
    const after = all?.[0]?.deliveryId ?? null;
    const page = { webhookId, tenantId, limit: 10, offset: 0 };
    t.deepEqual(await store.webhooks.deliveries({ ...page, after }), all?.slice(1));
    t.deepEqual(await store.webhooks.deliveries({ ...page, after: makeUuid() }), []);
    const [claimed] = await claimAll(store, tenantId, { limit: 1 });
    await settle(store, claimed, { is: 'delivered' }, 200);
    await store.prune();
    t.is((await list(10, 0))?.length, 3);
    await age({ table: 'webhook_deliveries', columns: ['ended_at'], byMs: 31 * 86_400_000 });
    await store.prune();
    t.is((await list(10, 0))?.length, 2);
  });
}

const ALL = { executionId: null, actorId: null, eventType: null, limit: 50, offset: 0 };

function makeWebhook(tenantId: TenantId): NewWebhook {
  return {
    webhookId: makeUuid(),
    tenantId,
    url: 'https://example.com/hook',
    eventTypes: null,
    secret: 'sealed',
    actorId: 'token:ops',
    webhooksMax: 10,
  };
}

async function create(store: Store, tenantId: TenantId, changes: Partial<NewWebhook> = {}) {
  const webhook = await store.webhooks.create({ ...makeWebhook(tenantId), ...changes });
  if (webhook === null) throw new Error('the webhook was not made');
  return webhook;
}

/** Claims the due deliveries of one tenant, and ignores those of others in the shared database. */
async function claimAll(
  store: Store,
  tenantId: TenantId,
  changes: Partial<Parameters<Store['webhooks']['claim']>[0]> = {},
): Promise<readonly ClaimedDelivery[]> {
  const { limit = 100, ...rest } = changes;
  const claimed = await store.webhooks.claim({
    limit,
    perWebhookMax: 100,
    exceptWebhooks: [],
    leaseMs: 60_000,
    ...rest,
  });
  return claimed.filter((each) => each.tenantId === tenantId);
}

/** Delivers everything, in rounds. */
async function drain(store: Store, tenantId: TenantId): Promise<readonly ClaimedDelivery[]> {
  const told: ClaimedDelivery[] = [];
  for (;;) {
    const claimed = await claimAll(store, tenantId);
    if (claimed.length === 0) return told;
    for (const each of claimed) await settle(store, each, { is: 'delivered' }, 200);
    told.push(...claimed);
  }
}

async function settle(
  store: Store,
  claimed: ClaimedDelivery | undefined,
  outcome: Parameters<Store['webhooks']['settle']>[0]['outcome'],
  lastStatus: number | null = null,
  disables = false,
): Promise<void> {
  if (claimed === undefined) throw new Error('nothing was claimed');
  const { deliveryId, attempt } = claimed;
  const lastError = outcome.is === 'delivered' ? null : 'it broke';
  await store.webhooks.settle({ deliveryId, attempt, outcome, lastStatus, lastError, disables });
}

async function onlyDelivery(store: Store, claimed: ClaimedDelivery | undefined) {
  if (claimed === undefined) throw new Error('nothing was claimed');
  const { webhookId, tenantId } = claimed;
  const found = await store.webhooks.deliveries({ webhookId, tenantId, limit: 2, offset: 0 });
  const [delivery, ...others] = found ?? [];
  if (delivery === undefined || others.length > 0) throw new Error('not exactly one delivery');
  return delivery;
}
