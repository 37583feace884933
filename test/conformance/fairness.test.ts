import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';

/* Addition: keys that take turns when workers claim from a queue. */

const check = onBothStores();

const films = (fairness: JsonObject, kind: JsonObject = {}): JsonObject => ({
  workflow_id: 'films',
  nodes: {
    render: {
      kind: { type: 'python_fn', module: 'films', function: 'render', queue: 'render', ...kind },
      retry_policy: { max_attempts: 2, initial_backoff_ms: 1 },
    },
  },
  fairness,
});

const AT = { queues: ['render'] };

function customerOf(payload: JsonObject): string {
  const { customer } = payload['input'] as { readonly customer: string };
  return customer;
}

check('200: a customer who comes late does not wait for the backlog of another', async (t, svc) => {
  const id = await svc.register(films({ key: 'input.customer' }));
  for (let at = 0; at < 20; at += 1) await svc.start(id, { customer: 'acme' });
  await svc.start(id, { customer: 'brown' });
  const claimed: string[] = [];
  for (let at = 0; at < 3; at += 1) {
    const item = await svc.claim(AT);
    claimed.push(customerOf(item.payload));
  }
  t.deepEqual(claimed.toSorted(), ['acme', 'acme', 'brown']);
});

check('200: a weight gives a key more turns, and a failed item its retry', async (t, svc) => {
  const weight = 'input.customer == "gold" ? 3 : 1';
  const id = await svc.register(films({ key: 'input.customer', weight }));
  for (const customer of ['basic', 'gold']) {
    for (let at = 0; at < 12; at += 1) await svc.start(id, { customer });
  }
  const claimed: string[] = [];
  for (let at = 0; at < 12; at += 1) {
    const item = await svc.claim(AT);
    claimed.push(customerOf(item.payload));
    if (at === 0) await svc.fail(item);
    else await svc.complete(item);
  }
  const gold = claimed.filter((customer) => customer === 'gold').length;
  t.true(gold >= 8 && gold <= 10, claimed.join(' '));
  for (let at = 0; at < 13; at += 1) await svc.complete(await svc.claim(AT));
  t.is((await svc.tryClaim(AT)).work_item, undefined);
});

check(
  '200: a customer who comes late waits for no backlog below a limit either',
  async (t, svc) => {
    const limited = { concurrency: { limit: 1 } };
    const id = await svc.register(films({ key: 'input.customer' }, limited));
    for (let at = 0; at < 6; at += 1) await svc.start(id, { customer: 'acme' });
    await svc.start(id, { customer: 'brown' });
    const claimed: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const item = await svc.claim(AT);
      claimed.push(customerOf(item.payload));
      await svc.complete(item);
    }
    t.true(claimed.includes('brown'), claimed.join(' '));
  },
);

check('200: explain tells the queue of the node, and nothing of the key', async (t, svc) => {
  const id = await svc.register(films({ key: 'input.customer' }));
  await svc.start(id, { customer: 'acme' });
  const execution = await svc.start(id, { customer: 'acme' });
  await svc.untilEvent(execution, 'NodeScheduled');
  const { body } = await svc.get<{ readonly blockers: readonly JsonObject[] }>(
    `/executions/${execution}/explain`,
  );
  t.is(body.blockers.length, 1);
  t.false(JSON.stringify(body).includes('~'), JSON.stringify(body));
});

check('400: a start whose input gives no key or weight is refused', async (t, svc) => {
  const id = await svc.register(films({ key: 'input.customer', weight: 'input.weight' }));
  const post = (input: JsonObject) =>
    svc.post<{ readonly error: string }>('/executions', { workflow_id: id, input });
  const { status, body } = await post({ weight: 1 });
  t.is(status, 400);
  t.is(
    body.error,
    'bad request: fairness.key of the workflow: expression `input.customer` must give text, ' +
      'a number or a boolean, and gives null for this input',
  );
  const heavy = await post({ customer: 'acme', weight: 1_000 });
  t.is(heavy.status, 400);
  t.is(
    heavy.body.error,
    'bad request: fairness.weight of the workflow: expression `input.weight` must give ' +
      'a number from 0.01 to 100, and gives another number for this input',
  );
  t.is((await post({ customer: 'acme', weight: 2.5 })).status, 201);
});
