import { defineFunction } from 'svc-sdk/worker';

import { onBothStores, type Place } from '../support/both-stores.ts';
import type { TestTenant } from '../support/tenant.ts';
import { startFunction, startWorker } from '../sdk/support/with-worker.ts';
import { createFolder, runSvc } from './run-svc.ts';

/* A developer looks at a durable function from the command line. */

const check = onBothStores();

/** Runs commands as an operator of the runtime, in the tenant. */
async function connect(tenant: TestTenant, place: Place) {
  const { body } = await tenant.post<{ token: string }>('/tokens', {
    name: 'commands',
    role: 'operator',
  });
  const folder = createFolder();
  return {
    svc: (...args: string[]) =>
      runSvc(args, {
        cwd: folder.path,
        env: { SVC_URL: place.runtime.url, SVC_TOKEN: body.token },
      }),
    close: () => folder.remove(),
  };
}

const order = defineFunction<{ amount: number }>('order', async (ctx, { amount }) => {
  await ctx.step('reserve', () => 'shelf');
  await ctx.waitForEvent('paid');
  await ctx.step(
    'charge',
    () => {
      if (amount > 100) throw new Error('declined');
    },
    { retry: { maxAttempts: 1 } },
  );
  return { charged: amount };
});

check('result prints the output, and says what to do without one', async (t, tenant, place) => {
  startWorker(t, { tenant, place, options: { functions: [order] } });
  const { svc, close } = await connect(tenant, place);
  t.teardown(close);
  const id = await startFunction(tenant, order, { amount: 25 });
  await tenant.until(id, 'paused');
  const early = await svc('execution', 'result', id);
  t.is(early.code, 1);
  t.is(early.stdout, '');
  t.regex(
    early.stderr,
    /^error: exec_\w+ has not ended: it is paused; .*--wait.* explain exec_\w+\n$/,
  );

  const waiting = svc('execution', 'result', id, '--wait');
  await tenant.deliver(id, 'paid');
  const ended = await waiting;
  t.is(ended.code, 0, ended.stderr);
  t.deepEqual(JSON.parse(ended.stdout), { charged: 25 });
  const data = await svc('execution', 'result', id, '-o', 'json');
  t.like(JSON.parse(data.stdout), {
    execution_id: id,
    status: 'completed',
    output: { charged: 25 },
    error: null,
  });
});

check(
  'a failed function: result exits with 8, and events name its steps',
  async (t, tenant, place) => {
    startWorker(t, { tenant, place, options: { functions: [order] } });
    const { svc, close } = await connect(tenant, place);
    t.teardown(close);
    const id = await startFunction(tenant, order, { amount: 2500 });
    await tenant.until(id, 'paused');
    await tenant.deliver(id, 'paid');
    await tenant.until(id, 'failed');
    const failed = await svc('execution', 'result', id);
    t.is(failed.code, 8);
    t.is(failed.stdout, '');
    t.regex(failed.stderr, /^error: exec_\w+ failed: .*declined\n$/);
    const data = await svc('execution', 'result', id, '--json');
    t.is(data.code, 8);
    t.like(JSON.parse(data.stdout), { status: 'failed', error: { node_id: 'run' } });

    const { stdout } = await svc('execution', 'events', id);
    t.regex(stdout, /^\d+ +\S+ +StepRecorded +run +reserve +- +- +-$/m);
    t.regex(stdout, /^\d+ +\S+ +NodeSuspended +run +paid +1 +- +-$/m);
    t.regex(stdout, /^\d+ +\S+ +StepRecorded +run +charge +- +- +declined$/m);
  },
);
