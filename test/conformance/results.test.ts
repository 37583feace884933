import { onBothStores } from '../support/both-stores.ts';
import { expectStatus, type TestTenant } from '../support/tenant.ts';
import type { JsonValue } from '../../src/shared/domain/json.ts';

/* Addition: reading the result of an execution, and waiting for its end. */

const check = onBothStores();
const call = { kind: 'python_fn', module: 'm', function: 'f' };
const WAITERS = 500;

interface Result {
  readonly execution_id: string;
  readonly status: string;
  readonly output?: JsonValue;
  readonly state?: JsonValue;
  readonly error?: { readonly message: string; readonly class: string } | null;
  readonly continued_as?: string | null;
}

const resultOf = (svc: TestTenant, id: string, wait = '60s') =>
  svc.get<Result>(`/executions/${id}/result?wait=${wait}`);
const startAndWait = (svc: TestTenant, wait: string, headers = {}) =>
  svc.post<Result>(`/executions?wait=${wait}`, { workflow_id: 'w', input: { n: 1 } }, headers);

check('200: the output is the value of the last node, else the final state', async (t, svc) => {
  const keyed = await svc.run({ nodes: { a: { ...call, output_key: 'sum' } } }, { n: 1 });
  await svc.work('a', { total: 3 });
  t.deepEqual(expectStatus(await resultOf(svc, keyed), 200), {
    execution_id: keyed,
    status: 'completed',
    output: { total: 3 },
    error: null,
    continued_as: null,
  });
  const plain = await svc.run({ nodes: { a: { kind: 'pass', output: { seen: true } } } }, { n: 1 });
  t.deepEqual((await resultOf(svc, plain)).body.output, { n: 1, seen: true });
});

check('200: every waiting caller gets an answer when the execution ends', async (t, svc) => {
  const id = await svc.run({ nodes: { a: { ...call, output_key: 'sum' } } });
  const waiting = Promise.all(Array.from({ length: 3 }, () => resultOf(svc, id)));
  await svc.work('a', { total: 3 });
  for (const reply of await waiting) {
    t.deepEqual(expectStatus(reply, 200).output, { total: 3 });
  }
});

check('200: a failed and a cancelled execution have an error', async (t, svc) => {
  await svc.register({ nodes: { a: { ...call, retry_policy: { max_attempts: 1 } } } });
  const failed = await svc.start('w');
  const failing = resultOf(svc, failed);
  await svc.breakDown('a');
  const cancelled = await svc.start('w');
  const cancelling = resultOf(svc, cancelled);
  await svc.cancel(cancelled);
  const ends = [await failing, await cancelling].map((reply) => expectStatus(reply, 200));
  t.deepEqual(
    ends.map(({ status, output, error }) => ({ status, output, error })),
    [
      {
        status: 'failed',
        output: null,
        error: { message: 'node a failed: it broke', class: 'error', node_id: 'a' },
      },
      {
        status: 'cancelled',
        output: null,
        error: { message: 'the execution was cancelled', class: 'cancelled', node_id: null },
      },
    ] as never,
  );
});

check('200: the final state comes with the result when it is asked for', async (t, svc) => {
  await svc.register({ nodes: { a: { ...call, output_key: 'sum' } } });
  const id = await svc.start('w', { n: 1 });
  const waiting = resultOf(svc, id, '60s&state=true');
  await svc.work('a', { total: 3 });
  t.like(expectStatus(await waiting, 200), {
    output: { total: 3 },
    state: { n: 1, sum: { total: 3 } },
  });
  await svc.register({ nodes: { a: { ...call, retry_policy: { max_attempts: 1 } } } });
  const failing = startAndWait(svc, '60s&state=true');
  await svc.breakDown('a');
  t.like(expectStatus(await failing, 200), { status: 'failed', output: null, state: { n: 1 } });
});

check('202: an execution that has not ended in time', async (t, svc) => {
  const id = await svc.run({ nodes: { a: call } });
  for (const wait of ['0s', '30ms']) {
    t.deepEqual(expectStatus(await resultOf(svc, id, wait), 202), {
      execution_id: id,
      status: 'running',
    });
  }
});

check('200: a start waits for its end; a 202 reports that none came yet', async (t, svc) => {
  await svc.register({ nodes: { a: { kind: 'pass', output: { seen: true } } } });
  const ended = expectStatus(await startAndWait(svc, '30s'), 200);
  t.like(ended, { status: 'completed', output: { n: 1, seen: true }, error: null });
  await svc.register({ nodes: { a: call } });
  const { execution_id: id, ...rest } = expectStatus(await startAndWait(svc, '20ms'), 202);
  t.deepEqual(rest, { status: 'running' });
  t.is((await svc.read(id)).status, 'running');
  t.is((await startAndWait(svc, '0s')).status, 201);
});

check('200: the same Idempotency-Key waits for the same execution', async (t, svc) => {
  await svc.register({ nodes: { a: call } });
  const start = (wait: string) => startAndWait(svc, wait, { 'Idempotency-Key': 'k' });
  const { execution_id: id } = expectStatus(await start('1ms'), 202);
  const waiting = [start('60s'), start('60s')];
  await svc.work('a');
  for (const reply of await Promise.all(waiting)) {
    t.like(expectStatus(reply, 200), { execution_id: id, status: 'completed' });
  }
});

check('200: a run names the run that continues it', async (t, svc) => {
  const id = await svc.run({
    nodes: { a: { kind: 'pass' }, b: { kind: 'pass' } },
    edges: [{ from: 'a', to: 'b' }],
    continue_as_new: { when: '!has(state.again)' },
    state_schema: { type: 'object' },
  });
  const first = expectStatus(await resultOf(svc, id), 200);
  const next = first.continued_as;
  if (typeof next !== 'string') return t.fail(JSON.stringify(first));
  t.is((await svc.read(id)).status, 'completed');
  await svc.cancel(next);
});

check('200: hundreds wait at once, each for its own execution', async (t, svc) => {
  await svc.register({
    nodes: { a: { kind: 'wait', condition: 'external_event', correlation_key: 'go' } },
  });
  const ids = await inTurns(WAITERS, () => svc.start('w'));
  const waiting = ids.map((id) => resultOf(svc, id));
  await inTurns(WAITERS, async (n) => {
    await svc.deliver(ids[n] ?? '', 'go');
  });
  const replies = await Promise.all(waiting);
  t.deepEqual(
    replies.map((reply) => expectStatus(reply, 200).execution_id),
    ids,
  );
});

/** Runs twenty at a time. */
async function inTurns<Value>(count: number, act: (n: number) => Promise<Value>) {
  const results: Value[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const n = next++;
      results[n] = await act(n);
    }
  };
  await Promise.all(Array.from({ length: 20 }, lane));
  return results;
}
