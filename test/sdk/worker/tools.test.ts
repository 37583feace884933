import {
  defineFunction,
  defineTool,
  NonRetryableError,
  RetryAfter,
  type ToolContext,
} from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { eventually } from '../../support/eventually.ts';
import { startFunction, startWorker, until } from '../support/with-worker.ts';

const check = onBothStores({ env: { SVC_SCHEDULER_LEASE_SECONDS: '3' } });

const CHARGE = {
  kind: 'python_fn',
  module: 'payment',
  function: 'charge',
  output_key: 'paid',
};

check(
  'a tool gets its input and its item, and its output is the node’s',
  async (t, tenant, place) => {
    const seen: ToolContext[] = [];
    const charge = defineTool<{ amount: number }>('payment.charge', ({ amount }, ctx) => {
      seen.push(ctx);
      return { amount: amount * 2 };
    });
    startWorker(t, { tenant, place, options: { tools: [charge] } });
    const id = await tenant.run({ nodes: { pay: CHARGE } }, { amount: 21 });
    const { state } = await tenant.until(id, 'completed');
    t.deepEqual(state['paid'], { amount: 42 });
    const [ctx] = seen;
    t.like(ctx, { executionId: id, nodeId: 'pay', attempt: 0 });
    t.regex(ctx?.idempotencyKey ?? '', /^[\da-f]{64}$/);
  },
);

check('an item of a tool that the worker does not serve stays queued', async (t, tenant, place) => {
  const other = defineTool('shipping.book', () => ({}));
  startWorker(t, { tenant, place, options: { tools: [other] } });
  const shipping = { kind: 'python_fn', module: 'shipping', function: 'book' };
  const waiting = await tenant.start(await tenant.register({ nodes: { pay: CHARGE } }));
  const served = await tenant.start(
    await tenant.register({ workflow_id: 'ship', nodes: { ship: shipping } }),
  );
  await tenant.until(served, 'completed');
  t.deepEqual(await tenant.story(waiting), ['WorkflowStarted', 'NodeScheduled pay']);
});

check(
  'a failure has the class of its error, and NonRetryableError its own',
  async (t, tenant, place) => {
    let runs = 0;
    const charge = defineTool<{ kind: string }>('payment.charge', ({ kind }) => {
      runs += 1;
      throw kind === 'final' ? new NonRetryableError('declined') : new RangeError('too much');
    });
    startWorker(t, { tenant, place, options: { tools: [charge] } });
    const patient = {
      max_attempts: 3,
      initial_delay: '1ms',
      non_retryable_on: ['NonRetryableError'],
    };
    const ir = {
      retry_policies: { patient },
      nodes: { pay: { ...CHARGE, retry_policy: 'patient' } },
    };
    const classOf = async (kind: string) => {
      const id = await tenant.run(ir, { kind });
      await tenant.until(id, 'failed');
      return (await tenant.events(id)).at(-1)?.payload['error_class'];
    };
    t.is(await classOf('final'), 'NonRetryableError');
    t.is(runs, 1);
    t.is(await classOf('other'), 'RangeError');
    t.is(runs, 4);
  },
);

check('RetryAfter replaces the back-off of the policy', async (t, tenant, place) => {
  const attempts: number[] = [];
  const charge = defineTool('payment.charge', (_input, { attempt }) => {
    attempts.push(attempt);
    if (attempt === 0) throw new RetryAfter(20, { message: 'busy' });
    if (attempt === 1) throw new RetryAfter('30d');
    return {};
  });
  startWorker(t, { tenant, place, options: { tools: [charge] } });
  const ir = {
    retry_policies: { hourly: { max_attempts: 3, initial_delay: '1h', jitter: false } },
    nodes: { pay: { ...CHARGE, retry_policy: 'hourly' } },
  };
  const id = await tenant.run(ir);
  const failures = async () =>
    (await tenant.events(id)).flatMap(({ kind, payload }) =>
      kind === 'NodeFailed' ? payload : [],
    );
  await eventually(async () => {
    if ((await failures()).length < 2) throw new Error('not yet');
  });
  const [first, second] = await failures();
  t.like(first, { error: 'busy', error_class: 'RetryAfter', retry_delay_ms: 20 });
  t.like(second, { retryable: true, retry_delay_ms: 30 * 86_400_000 });
  t.deepEqual(attempts, [0, 1]);
});

check(
  'RetryAfter of a function is its next attempt, while one is left',
  async (t, tenant, place) => {
    const order = defineFunction(
      'order',
      (ctx) => {
        throw new RetryAfter(10, { message: `attempt ${ctx.attempt}` });
      },
      { retryPolicy: { max_attempts: 2, initial_delay: '1h' } },
    );
    startWorker(t, { tenant, place, options: { functions: [order] } });
    const id = await startFunction(tenant, order, {});
    await tenant.until(id, 'failed');
    const failed = (await tenant.events(id)).filter(({ kind }) => kind === 'NodeFailed');
    t.deepEqual(
      failed.map(({ payload }) => [payload['error'], payload['retryable']]),
      [
        ['attempt 0', true],
        ['attempt 1', false],
      ],
    );
  },
);

check('work that takes longer than a lease keeps it', async (t, tenant, place) => {
  let runs = 0;
  let free = () => undefined as void;
  const held = new Promise<void>((resolve) => (free = resolve));
  const charge = defineTool('payment.charge', async () => {
    runs += 1;
    await held;
    return {};
  });
  startWorker(t, { tenant, place, options: { tools: [charge] } });
  const id = await tenant.run({ nodes: { pay: CHARGE } });
  const begunAt = performance.now();
  await until('a lease would have expired', () => performance.now() - begunAt > 4500);
  free();
  await tenant.until(id, 'completed');
  t.is(runs, 1);
});

check('the signal of an item aborts when its execution is cancelled', async (t, tenant, place) => {
  const reasons: unknown[] = [];
  let begun = 0;
  const charge = defineTool('payment.charge', (_input, { signal }) => {
    begun += 1;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason);
        reject(new Error('stopped', { cause: signal.reason }));
      });
    });
  });
  startWorker(t, { tenant, place, options: { tools: [charge] } });
  const id = await tenant.run({ nodes: { pay: CHARGE } });
  await until('the tool has begun', () => begun === 1);
  await tenant.cancel(id);
  await until('the signal aborts', () => reasons.length === 1);
  t.is((reasons[0] as Error).name, 'LeaseLostError');
});

check('stopping finishes what is under way, and claims nothing more', async (t, tenant, place) => {
  let free = () => undefined as void;
  const held = new Promise<void>((resolve) => (free = resolve));
  let begun = 0;
  const charge = defineTool('payment.charge', async () => {
    begun += 1;
    await held;
    return {};
  });
  const { worker, running } = startWorker(t, {
    tenant,
    place,
    options: { tools: [charge], concurrency: 1 },
  });
  const first = await tenant.run({ nodes: { pay: CHARGE } });
  await until('the tool has begun', () => begun === 1);
  const second = await tenant.start('w');
  const stopped = worker.stop({ deadlineMs: 20_000 });
  free();
  await stopped;
  await running;
  await tenant.until(first, 'completed');
  t.is((await tenant.read(second)).status, 'running');
  t.is(begun, 1);
});

check(
  'past the deadline the worker gives its items back, and they use no attempt',
  async (t, tenant, place) => {
    let begun = 0;
    const charge = defineTool('payment.charge', async () => {
      begun += 1;
      return new Promise<object>(() => undefined);
    });
    const { worker } = startWorker(t, { tenant, place, options: { tools: [charge] } });
    await tenant.run({ nodes: { pay: CHARGE } });
    await until('the tool has begun', () => begun === 1);
    await worker.stop({ deadlineMs: 1 });
    const item = await tenant.claim();
    t.is(item.attempt, 0);
  },
);

check('a wrong token ends the worker with the reason', async (t, tenant, place) => {
  const tools = [defineTool('payment.charge', () => ({}))];
  const { running } = startWorker(t, { tenant, place, options: { tools, token: 'nobody' } });
  const error = await t.throwsAsync(running);
  t.is(error?.name, 'WorkerRefusedError');
});
