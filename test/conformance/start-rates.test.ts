import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';

/* Addition: executions of a workflow that begin no faster than a rate. */

const check = onBothStores();
const NODES = {
  go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } },
};

const paced = (rate: JsonObject, more: JsonObject = {}): JsonObject => ({
  workflow_id: 'paced',
  nodes: NODES,
  rate,
  ...more,
});

interface Explained {
  readonly blockers: readonly { readonly code: string; readonly message: string }[];
}

interface Reading {
  readonly execution_id: string;
  readonly waiting_for: { readonly kind: string; readonly key: string | null } | null;
}

check('201: executions begin at their rate, in the order of their starts', async (t, svc) => {
  const id = await svc.register(paced({ limit: 5, per: '1s', burst: 1 }));
  const started: string[] = [];
  for (let at = 0; at < 6; at += 1) started.push(await svc.start(id));
  const begun: number[] = [];
  for (const execution of started) {
    const event = await svc.untilEvent(execution, 'NodeScheduled');
    begun.push(Date.parse(event.created_at));
  }
  t.deepEqual(
    begun,
    begun.toSorted((one, other) => one - other),
  );
  const [start] = await svc.events(started[0] ?? '');
  const since = Date.parse(start?.created_at ?? '');
  // The first token is taken after the first start, and each of the others 200 ms after the one before.
  for (const [at, instant] of begun.entries()) {
    t.true(instant - since >= at * 200 - 1, `${at}: ${instant - since} ms`);
  }
});

check('200: one that waits for its turn says so, everywhere', async (t, svc) => {
  const id = await svc.register(paced({ key: 'input.customer', limit: 1, per: '1d' }));
  const first = await svc.start(id, { customer: 'acme' });
  await svc.until(first, 'paused');
  const other = await svc.start(id, { customer: 'brown' });
  await svc.until(other, 'paused');
  await svc.start(id, { customer: 'acme' });
  const third = await svc.start(id, { customer: 'acme' });
  const { body } = await svc.get<Reading>(`/executions/${third}`);
  t.like(body.waiting_for, { kind: 'rate', key: 'acme' });
  const listed = await svc.get<{ readonly executions: readonly Reading[] }>(
    `/executions?q=${encodeURIComponent(`workflow = ${id} and waiting = true`)}`,
  );
  t.is(listed.body.executions.length, 2);
  const row = listed.body.executions.find(({ execution_id: of }) => of === third);
  t.deepEqual(row?.waiting_for, body.waiting_for);
  const explained = await svc.get<Explained>(`/executions/${third}/explain`);
  t.like(explained.body.blockers[0], {
    code: 'waiting_for_place',
    message: 'waits for its turn (rate 1 per 86400 s of key acme): number 2 in the queue',
  });
  t.is((await svc.cancel(third)).body.status, 'cancelled');
  t.deepEqual(await svc.story(third), ['WorkflowStarted', 'WorkflowCancelled']);
});

check('200: the explanation tells the limits in force', async (t, svc) => {
  const id = await svc.register(paced({ limit: 1, per: '1d' }, { concurrency: { limit: 1 } }));
  await svc.until(await svc.start(id), 'paused');
  const second = await svc.start(id);
  const more = { version: '2', concurrency: { limit: 3 } };
  await svc.register(paced({ limit: 2, per: '1d' }, more));
  const { body } = await svc.get<Explained>(`/executions/${second}/explain`);
  t.is(
    body.blockers[0]?.message,
    'waits for a place (concurrency limit 3) and its turn (rate 2 per 86400 s): number 1 in the queue',
  );
});

check('200: with a limit too, one needs a place and a token', async (t, svc) => {
  const more = { concurrency: { limit: 1 } };
  const id = await svc.register(paced({ limit: 1, per: '1d', burst: 2 }, more));
  const [first, second, third] = [await svc.start(id), await svc.start(id), await svc.start(id)];
  await svc.until(first, 'paused');
  const explained = await svc.get<Explained>(`/executions/${third}/explain`);
  t.is(
    explained.body.blockers[0]?.message,
    'waits for a place (concurrency limit 1) and its turn (rate 1 per 86400 s): number 2 in the queue',
  );
  await svc.deliver(first, 'go');
  await svc.until(second, 'paused');
  await svc.deliver(second, 'go');
  await svc.until(second, 'completed');
  // The place is free, and no token is left.
  t.deepEqual(await svc.story(third), ['WorkflowStarted']);
});

check('200: a data policy hides the key of the rate', async (t, svc) => {
  const id = await svc.register({
    ...paced({ key: 'input.email', limit: 1, per: '1d' }),
    data_policy: { pii_fields: ['email'], action: 'mask' },
  });
  await svc.start(id, { email: 'ann@example.com' });
  const second = await svc.start(id, { email: 'ann@example.com' });
  const answers = await Promise.all(
    [`/executions/${second}`, `/executions/${second}/explain`, `/executions?workflow_id=${id}`].map(
      (path) => svc.get(path),
    ),
  );
  t.false(JSON.stringify(answers.map(({ body }) => body)).includes('ann@'));
});

check('400: rates that cannot be, and keys that the input does not have', async (t, svc) => {
  for (const [rate, pointer] of [
    [{ per: '1s' }, '/rate/limit'],
    [{ limit: 0, per: '1s' }, '/rate/limit'],
    [{ limit: 1 }, '/rate/per'],
    [{ limit: 1, per: '10ms' }, '/rate/per'],
    [{ limit: 1, per: '1s', burst: -1 }, '/rate/burst'],
    [{ limit: 1, per: '1s', key: 3 }, '/rate/key'],
    [{ limit: 1, per: '1s', key: 'input.' }, '/rate/key'],
    [{ limit: 1, per: '1s', bursts: 1 }, '/rate/bursts'],
  ] as const) {
    const refused = await svc.post<{ readonly problems: readonly { readonly pointer: string }[] }>(
      '/workflows',
      { ir: paced(rate) },
    );
    t.is(refused.status, 400, JSON.stringify(rate));
    t.deepEqual(
      refused.body.problems.map((problem) => problem.pointer),
      [pointer],
    );
  }
  const id = await svc.register(paced({ key: 'input.customer', limit: 1, per: '1s' }));
  const missing = await svc.post<{ readonly error: string }>('/executions', {
    workflow_id: id,
    input: {},
  });
  t.is(missing.status, 400);
  t.regex(missing.body.error, /rate\.key of the workflow/);
});
