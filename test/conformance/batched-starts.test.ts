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
