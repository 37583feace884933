import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';
import type { TestTenant } from '../support/tenant.ts';

/* Addition: rules of flow control that a start brings. */

const check = onBothStores();
const NODES = {
  go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
};
const plain = (more: JsonObject = {}): JsonObject => ({
  workflow_id: 'plain',
  nodes: NODES,
  ...more,
});
const BY_CUSTOMER = { key: 'input.customer', limit: 1 };

interface Refused {
  readonly error: string;
  readonly code?: string;
}

interface Started {
  readonly execution_id: string;
}

check('201: starts that bring a limit wait for a place of their key', async (t, svc) => {
  const id = await svc.register(plain());
  const start = async (customer: string, concurrency: JsonObject) =>
    svc.start(id, { customer }, { concurrency });
  const first = await start('acme', BY_CUSTOMER);
  const other = await start('brown', BY_CUSTOMER);
  const constant = await start('any', { key: "'acme'", limit: 1 });
  const free = await svc.start(id, { customer: 'acme' });
  for (const one of [first, other, free]) await svc.until(one, 'paused');
  await svc.untilWaitsFor(constant, 'concurrency');
  const explained = await svc.get<{ readonly blockers: readonly { readonly message: string }[] }>(
    `/executions/${constant}/explain`,
  );
  t.deepEqual(
    explained.body.blockers.map(({ message }) => message),
    ['waits for a place: number 1 in the queue of key acme, concurrency limit 1 reached'],
  );
  await svc.deliver(first, 'go');
  await svc.until(constant, 'paused');
  const [started] = await svc.events(constant);
  t.deepEqual(started?.payload['start_rules'], { concurrency: { key: "'acme'", limit: 1 } });
});

check('409: a start that brings refuse is refused, and cancel_oldest cancels', async (t, svc) => {
  const id = await svc.register(plain());
  const first = await svc.start(id, {}, { concurrency: { limit: 1 } });
  await svc.until(first, 'paused');
  const refusing = { workflow_id: id, input: {}, concurrency: { limit: 1, when_full: 'refuse' } };
  const refused = await svc.post<Refused>('/executions', refusing);
  t.like(refused, { status: 409, body: { code: 'concurrency_limit', limit: 1 } });
  const newest = await svc.start(id, {}, { concurrency: { limit: 1, when_full: 'cancel_oldest' } });
  await svc.until(first, 'cancelled');
  await svc.until(newest, 'paused');
});

check('200: each entry of a batch brings its own rules', async (t, svc) => {
  const id = await svc.register(plain());
  const refuse = { limit: 1, when_full: 'refuse' };
  const { body } = await svc.post<{ readonly results: readonly JsonObject[] }>(
    '/executions/batch',
    {
      executions: [
        { workflow_id: id, input: {}, concurrency: refuse },
        { workflow_id: id, input: {}, concurrency: refuse },
        { workflow_id: id, input: {} },
        { workflow_id: id, input: {}, concurrency: { limit: 0 } },
      ],
    },
  );
  t.deepEqual(
    body.results.map(({ status }) => status),
    [201, 409, 201, 400],
  );
});

check('400: a start replaces no rule of the definition', async (t, svc) => {
  const id = await svc.register(
    plain({ concurrency: { limit: 2 }, rate: { limit: 5, per: '1s' } }),
  );
  const concurrency = { limit: 1_000 };
  const refused = await svc.post<Refused>('/executions', {
    workflow_id: id,
    input: {},
    concurrency,
  });
  t.like(refused, {
    status: 400,
    body: {
      error:
        `bad request: workflow ${id} version 1.0.0 has a rule for concurrency, and a start can't replace it: ` +
        'leave concurrency out, or register a version without it',
    },
  });
  const both = await svc.post<Refused>('/executions', {
    workflow_id: id,
    input: {},
    concurrency,
    rate: { limit: 1, per: '1s' },
  });
  t.is(both.status, 400);
  t.true(both.body.error.includes('has rules for concurrency and rate'));
});

check('400: a wrong rule is refused as in a definition', async (t, svc) => {
  const paced = await svc.register(plain({ workflow_id: 'paced', rate: { limit: 5, per: '1s' } }));
  const id = await svc.register(plain());
  const refuse = { limit: 1, when_full: 'refuse' };
  const wrong: readonly (readonly [JsonObject, string])[] = [
    [{ concurrency: { limit: 0 } }, 'concurrency.limit must be a whole number from 1 to 10000'],
    [{ concurrency: 'many' }, 'concurrency must be an object with limit'],
    [
      { concurrency: { limit: 1, keys: 'x' } },
      'concurrency.keys is not known: did you mean "key"?',
    ],
    [
      { concurrency: { key: 'acme', limit: 1 } },
      'concurrency.key expression `acme`: unknown variable acme: the variables are state, output, input, execution (put text that is a constant in quotes: "\'acme\'")',
    ],
    [
      { concurrency: { key: 'input.customer', limit: 1 } },
      'concurrency.key: expression `input.customer` must give text, a number or a boolean, and gives null for this input',
    ],
    [{ rate: { limit: 1 } }, 'rate.per must be a duration from "1s" to "1d"'],
    [{ debounce: {} }, 'debounce.wait must be'],
    [{ batch: { max: 1, wait: '1s' } }, 'batch.max must be a whole number from 2 to 1000'],
    [
      { concurrency: refuse, debounce: { wait: '1s' } },
      'concurrency.when_full must not be refuse beside debounce',
    ],
    [
      { debounce: { wait: '1s' }, batch: { max: 2, wait: '1s' } },
      'batch must not stand beside debounce: remove one of them',
    ],
    [
      { workflow_id: paced, concurrency: refuse },
      'concurrency.when_full must be queue beside rate',
    ],
  ];
  for (const [rules, message] of wrong) {
    const body = { workflow_id: id, input: {}, ...rules };
    const { status, body: answer } = await svc.post<Refused>('/executions', body);
    t.is(status, 400);
    t.true(answer.error.includes(message), `${message}: ${answer.error}`);
  }
});

check('409: the rules belong to the request that an Idempotency-Key names', async (t, svc) => {
  const id = await svc.register(plain());
  const body = { workflow_id: id, input: {}, concurrency: { limit: 2 } };
  const key = { 'Idempotency-Key': 'once' };
  const first = await svc.post<Started>('/executions', body, key);
  t.is(first.status, 201);
  t.deepEqual((await svc.post<Started>('/executions', body, key)).body, first.body);
  const others = [{}, { concurrency: { limit: 3 } }];
  for (const rules of others) {
    const other = await svc.post('/executions', { workflow_id: id, input: {}, ...rules }, key);
    t.is(other.status, 409);
  }
});

check('201: starts that bring a rate begin at that rate', async (t, svc) => {
  const id = await svc.register(plain());
  const rate = { key: 'input.customer', limit: 1, per: '1d' };
  const first = await svc.start(id, { customer: 'acme' }, { rate });
  const second = await svc.start(id, { customer: 'acme' }, { rate });
  const other = await svc.start(id, { customer: 'brown' }, { rate });
  await svc.until(first, 'paused');
  await svc.until(other, 'paused');
  await svc.untilWaitsFor(second, 'rate');
  const explained = await svc.get<{ readonly blockers: readonly { readonly message: string }[] }>(
    `/executions/${second}/explain`,
  );
  t.deepEqual(
    explained.body.blockers.map(({ message }) => message),
    ['waits for its turn (rate 1 per 86400 s of key acme): number 1 in the queue'],
  );
});

check('201: the last of several starts that bring a debounce begins', async (t, svc) => {
  const id = await svc.register(plain({ concurrency: { limit: 1 } }));
  const after = (wait: string) => ({ debounce: { key: 'input.document', wait } });
  // No pause between the two starts, however long, lets the first one begin.
  const first = await svc.start(id, { document: 'a' }, after('1h'));
  const last = await svc.start(id, { document: 'a' }, after('300ms'));
  await svc.until(first, 'cancelled');
  await svc.until(last, 'paused');
  const next = await svc.start(id, { document: 'a' }, { debounce: { wait: '100ms' } });
  await svc.untilWaitsFor(next, 'concurrency');
  t.deepEqual(await svc.story(first), ['WorkflowStarted', 'WorkflowCancelled']);
});

check('201: starts that bring a batch gather in one execution', async (t, svc) => {
  const id = await svc.register(plain());
  const batch = { key: 'input.customer', max: 2, wait: '1h' };
  const first = await svc.start(id, { customer: 'acme', n: 1 }, { batch });
  const second = await svc.start(id, { customer: 'acme', n: 2 }, { batch });
  await svc.until(second, 'cancelled');
  await svc.until(first, 'paused');
  const { body } = await svc.get<{ readonly input: JsonObject }>(`/executions/${first}`);
  t.deepEqual(body.input, {
    items: [
      { customer: 'acme', n: 1 },
      { customer: 'acme', n: 2 },
    ],
  });
  const retried = await retry(svc, second);
  await svc.untilWaitsFor(retried, 'batch');
  await svc.cancel(first);
  await svc.until(await retry(svc, first), 'paused');
});

check('201: the limit that a start brings holds after its delay', async (t, svc) => {
  const id = await svc.register(plain());
  const first = await svc.start(id, {}, { concurrency: { limit: 1 } });
  await svc.until(first, 'paused');
  const delayed = await svc.start(id, {}, { concurrency: { limit: 1 }, start_after: '200ms' });
  await svc.untilWaitsFor(delayed, 'concurrency');
  t.true((await svc.story(delayed)).includes('TimerFired'));
  await svc.deliver(first, 'go');
  await svc.until(delayed, 'paused');
});

check('201: retries and forks keep the rules of the start', async (t, svc) => {
  const id = await svc.register(plain());
  const first = await svc.start(id, {}, { concurrency: { limit: 1 } });
  await svc.until(first, 'paused');
  await svc.cancel(first);
  const holder = await svc.start(id, {}, { concurrency: { limit: 1 } });
  await svc.until(holder, 'paused');
  const retried = await retry(svc, first);
  await svc.untilWaitsFor(retried, 'concurrency');
  const fork = await svc.post<Started>(`/executions/${first}/fork`, { at: 'go' });
  t.is(fork.status, 201);
  await svc.untilWaitsFor(fork.body.execution_id, 'concurrency');
  const again = await svc.post<Started>(`/executions/${retried}/cancel`);
  t.is(again.status, 200);
  await svc.untilWaitsFor(await retry(svc, retried), 'concurrency');
});

check(
  '201: on a definition that has the rule by now, a retry has that of the definition',
  async (t, svc) => {
    const id = await svc.register(plain());
    const first = await svc.start(id, {}, { concurrency: { limit: 1 } });
    await svc.until(first, 'paused');
    await svc.cancel(first);
    const holder = await svc.start(id, {}, { concurrency: { limit: 1 } });
    await svc.until(holder, 'paused');
    await svc.register(plain({ version: '2.0.0', concurrency: { limit: 2 } }));
    const { body } = await svc.post<Started>(`/executions/${first}/retry`, { revision: 'latest' });
    await svc.until(body.execution_id, 'paused');
    t.is((await svc.read(holder)).status, 'paused');
  },
);

const films = (more: JsonObject = {}): JsonObject => ({
  workflow_id: 'films',
  nodes: {
    render: { kind: { type: 'python_fn', module: 'films', function: 'render', queue: 'render' } },
    check: { kind: { type: 'python_fn', module: 'films', function: 'check', queue: 'check' } },
  },
  edges: [{ from: 'render', to: 'check' }],
  ...more,
});
const BY_TURNS = { fairness: { key: 'input.customer' } };

async function claimCustomers(
  svc: TestTenant,
  { queue, count }: { readonly queue: string; readonly count: number },
): Promise<readonly string[]> {
  const customers: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const item = await svc.claim({ queues: [queue] });
    customers.push((item.payload['input'] as { readonly customer: string }).customer);
    await svc.complete(item);
  }
  return customers;
}

check('201: keys that starts bring take turns, at each step', async (t, svc) => {
  const id = await svc.register(films());
  for (let at = 0; at < 12; at += 1) await svc.start(id, { customer: 'acme' }, BY_TURNS);
  await svc.start(id, { customer: 'brown' }, BY_TURNS);
  const first = await claimCustomers(svc, { queue: 'render', count: 3 });
  t.deepEqual(first.toSorted(), ['acme', 'acme', 'brown']);
  await claimCustomers(svc, { queue: 'render', count: 10 });
  const cooper = await svc.start(id, { customer: 'cooper' }, BY_TURNS);
  await claimCustomers(svc, { queue: 'render', count: 1 });
  await svc.untilEvent(cooper, 'NodeCompleted');
  t.true((await claimCustomers(svc, { queue: 'check', count: 4 })).includes('cooper'));
});

check('201: a start has the turns of its key on a queue of definitions', async (t, svc) => {
  const own = await svc.register(films({ workflow_id: 'own', ...BY_TURNS }));
  const id = await svc.register(films());
  for (let at = 0; at < 12; at += 1) await svc.start(own, { customer: 'acme' });
  const gold = { fairness: { key: 'input.customer', weight: 'input.gold ? 3 : 1' } };
  for (let at = 0; at < 12; at += 1) await svc.start(id, { customer: 'brown', gold: true }, gold);
  await svc.start(id, { customer: 'acme', gold: false }, gold);
  const claimed = await claimCustomers(svc, { queue: 'render', count: 8 });
  const brown = claimed.filter((customer) => customer === 'brown').length;
  t.true(brown >= 5 && brown <= 7, claimed.join(' '));
  const rest = await claimCustomers(svc, { queue: 'render', count: 17 });
  t.is([...claimed, ...rest].filter((customer) => customer === 'acme').length, 13);
});

check('400: a start brings no wrong fairness', async (t, svc) => {
  const id = await svc.register(films());
  const ruled = await svc.register(films({ workflow_id: 'ruled', ...BY_TURNS }));
  const wrong: readonly (readonly [string, JsonObject, string])[] = [
    [ruled, { key: "'acme'" }, `workflow ${ruled} version 1.0.0 has a rule for fairness`],
    [id, {}, 'fairness'],
    [id, { key: "'acme'", weight: 101 }, 'fairness.weight must be a number from 0.01 to 100'],
    [id, { key: 'acme' }, 'fairness.key expression `acme`: unknown variable acme'],
    [id, { key: "'acme'", share: 1 }, 'fairness.share is not known'],
    [
      id,
      { key: 'input.nobody' },
      'bad request: fairness.key: expression `input.nobody` must give text, a number or a boolean, and gives null for this input',
    ],
    [
      id,
      { key: "'acme'", weight: 'input.plan' },
      'bad request: fairness.weight: expression `input.plan` must give a number from 0.01 to 100, and gives text for this input',
    ],
  ];
  for (const [workflow, fairness, message] of wrong) {
    const body = { workflow_id: workflow, input: { customer: 'acme', plan: 'gold' }, fairness };
    const { status, body: answer } = await svc.post<Refused>('/executions', body);
    t.is(status, 400);
    t.true(answer.error.includes(message), `${message}: ${answer.error}`);
  }
});

check('201: a retry has the fairness of its start, and entries of a batch too', async (t, svc) => {
  const id = await svc.register(films());
  const { body } = await svc.post<{ readonly results: readonly Started[] }>('/executions/batch', {
    executions: [{ workflow_id: id, input: { customer: 'brown' }, ...BY_TURNS }],
  });
  const [first] = body.results;
  await svc.cancel(first?.execution_id ?? '');
  for (let at = 0; at < 6; at += 1) await svc.start(id, { customer: 'acme' }, BY_TURNS);
  await retry(svc, first?.execution_id ?? '');
  const claimed = await claimCustomers(svc, { queue: 'render', count: 3 });
  t.deepEqual(claimed.toSorted(), ['acme', 'acme', 'brown']);
});

check('200: a data policy hides the key and the weight of fairness', async (t, svc) => {
  const policy = { pii_fields: ['email'], action: 'mask' };
  const id = await svc.register(films({ data_policy: policy }));
  const fairness = { key: "'ann@example.com'", weight: "'ann@example.com' == '' ? 1 : 2" };
  const execution = await svc.start(id, { customer: 'ann' }, { fairness });
  const [started] = await svc.events(execution);
  t.deepEqual(started?.payload['start_rules'], { fairness: { key: '***', weight: '***' } });
});

check('200: a data policy hides the key of a rule', async (t, svc) => {
  const id = await svc.register(plain({ data_policy: { pii_fields: ['email'], action: 'mask' } }));
  const concurrency = { key: "'ann@example.com'", limit: 1 };
  const execution = await svc.start(id, {}, { concurrency });
  const [started] = await svc.events(execution);
  t.deepEqual(started?.payload['start_rules'], { concurrency: { key: '***', limit: 1 } });
});

async function retry(svc: TestTenant, execution: string): Promise<string> {
  const { body } = await svc.post<Started>(`/executions/${execution}/retry`, {});
  return body.execution_id;
}
