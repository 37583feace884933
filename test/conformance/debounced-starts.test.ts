import type { JsonObject } from '../../src/shared/domain/json.ts';
import { onBothStores } from '../support/both-stores.ts';

/* Addition: of starts that come soon after each other, the last begins. */

const check = onBothStores();

const settled = (debounce: JsonObject, more: JsonObject = {}): JsonObject => ({
  workflow_id: 'settled',
  nodes: { go: { kind: { type: 'wait', condition: 'external_event', correlation_key: 'go' } } },
  debounce,
  ...more,
});

interface Reading {
  readonly execution_id: string;
  readonly status: string;
  readonly waiting_for: {
    readonly kind: string;
    readonly key: string | null;
    readonly until: string | null;
  } | null;
}

interface Explained {
  readonly blockers: readonly { readonly code: string; readonly until: string | null }[];
  readonly ended: { readonly message: string } | null;
}

check('201: the last start of a key begins, and displaces the others', async (t, svc) => {
  const id = await svc.register(settled({ key: 'input.customer', wait: '1s' }));
  const other = await svc.start(id, { customer: 'brown' });
  const acme: string[] = [];
  for (let at = 0; at < 4; at += 1) acme.push(await svc.start(id, { customer: 'acme', at }));
  const last = acme.pop() ?? '';
  await svc.until(last, 'paused');
  await svc.until(other, 'paused');
  for (const execution of acme) {
    await svc.until(execution, 'cancelled');
    t.deepEqual(await svc.story(execution), ['WorkflowStarted', 'WorkflowCancelled']);
    const { body } = await svc.get<Explained>(`/executions/${execution}/explain`);
    t.regex(body.ended?.message ?? '', /debounce: a newer start of its key displaced it: exec_/);
  }
  const [started, scheduled] = await svc.events(last);
  t.is(scheduled?.kind, 'NodeScheduled');
  const waitedMs = Date.parse(scheduled?.created_at ?? '') - Date.parse(started?.created_at ?? '');
  t.true(waitedMs >= 1_000, `${waitedMs} ms`);
});

check('200: one that waits says for which key, and until when', async (t, svc) => {
  const id = await svc.register(settled({ key: 'input.customer', wait: '1h' }));
  const execution = await svc.start(id, { customer: 'acme' });
  const { body } = await svc.get<Reading>(`/executions/${execution}`);
  t.like(body.waiting_for, { kind: 'debounce', key: 'acme' });
  const until = Date.parse(body.waiting_for?.until ?? '') - Date.now();
  t.true(until > 3_500_000 && until <= 3_600_000, `${until} ms`);
  const listed = await svc.get<{ readonly executions: readonly Reading[] }>(
    `/executions?q=${encodeURIComponent(`workflow = ${id} and waiting = true`)}`,
  );
  t.deepEqual(listed.body.executions[0]?.waiting_for, body.waiting_for);
  const explained = await svc.get<Explained>(`/executions/${execution}/explain`);
  t.like(explained.body.blockers[0], {
    code: 'waiting_for_place',
    until: body.waiting_for?.until,
  });
  t.is((await svc.cancel(execution)).body.status, 'cancelled');
});

check('201: with max_wait one begins in any case', async (t, svc) => {
  const id = await svc.register(settled({ wait: '1h', max_wait: '1h' }));
  const first = await svc.start(id);
  const second = await svc.start(id);
  const untilOf = async (execution: string) =>
    (await svc.get<Reading>(`/executions/${execution}`)).body.waiting_for?.until;
  const [started] = await svc.events(first);
  const firstAt = Date.parse(started?.created_at ?? '');
  // An hour after the first start, and not after its own.
  t.is(Date.parse((await untilOf(second)) ?? ''), firstAt + 3_600_000);
  await svc.until(first, 'cancelled');
  const third = await svc.start(id);
  t.is(Date.parse((await untilOf(third)) ?? ''), firstAt + 3_600_000);
});

check('201: afterwards it waits for its place', async (t, svc) => {
  const more = { concurrency: { key: 'input.customer', limit: 1 } };
  const id = await svc.register(settled({ wait: '50ms' }, more));
  const first = await svc.start(id, { customer: 'acme' });
  await svc.until(first, 'paused');
  const second = await svc.start(id, { customer: 'acme' });
  await svc.untilWaitsFor(second, 'concurrency');
  const third = await svc.start(id, { customer: 'brown' });
  await svc.until(third, 'paused');
  await svc.deliver(first, 'go');
  await svc.until(second, 'paused');
  t.is((await svc.read(first)).status, 'completed');
});

check('201: an end of the newest lets the next start begin', async (t, svc) => {
  const id = await svc.register(settled({ wait: '1h' }));
  const first = await svc.start(id);
  await svc.cancel(first);
  const ir = settled({ wait: '50ms' }, { version: '2' });
  await svc.register(ir);
  const second = await svc.start(id);
  await svc.until(second, 'paused');
  t.pass();
});

check('400: rules that cannot be', async (t, svc) => {
  for (const [debounce, more, pointer] of [
    [{}, {}, '/debounce/wait'],
    [{ wait: 0 }, {}, '/debounce/wait'],
    [{ wait: '1h', max_wait: '1m' }, {}, '/debounce/max_wait'],
    [{ wait: '1h', key: 3 }, {}, '/debounce/key'],
    [{ wait: '1h', delay: '1h' }, {}, '/debounce/delay'],
    [{ wait: '1h' }, { concurrency: { limit: 1, when_full: 'refuse' } }, '/concurrency/when_full'],
  ] as const) {
    const { status, body } = await svc.post<{
      readonly problems: readonly { readonly pointer: string }[];
    }>('/workflows', { ir: settled(debounce, more) });
    t.is(status, 400, JSON.stringify(debounce));
    t.deepEqual(
      body.problems.map((problem) => problem.pointer),
      [pointer],
    );
  }
});
