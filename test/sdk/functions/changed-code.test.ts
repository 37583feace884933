import type { FunctionContext } from 'svc-sdk/worker';
import { defineFunction } from 'svc-sdk/worker';

import { onBothStores } from '../../support/both-stores.ts';
import { startFunction, startWorker } from '../support/with-worker.ts';

const check = onBothStores();

/** `after` asks for a step that the journal of `before` does not have. */
function changedOrder(done: string[], retryPolicy: string | Readonly<Record<string, unknown>>) {
  const mark = (name: string) => () => void done.push(name);
  const order = (isChanged: boolean) =>
    defineFunction(
      'change',
      async (ctx: FunctionContext) => {
        ctx.onRollback('refund', mark('refunded'));
        if (isChanged) await ctx.step('check', mark('checked'));
        await ctx.step('charge', mark('charged'));
        await ctx.waitForEvent('go');
        return {};
      },
      { retryPolicy },
    );
  return { before: order(false), after: order(true) };
}

check(
  'changed code runs nothing and undoes nothing, and its function waits for code that fits',
  async (t, tenant, place) => {
    const done: string[] = [];
    // Waiting for code spends no attempt.
    const { before, after } = changedOrder(done, 'no_retry');
    const first = startWorker(t, { tenant, place, options: { functions: [before] } });
    const id = await startFunction(tenant, before, {});
    await tenant.untilEvent(id, 'NodeSuspended');
    await first.worker.stop();
    const options = { functions: [after], register: false };
    const second = startWorker(t, { tenant, place, options });
    await tenant.deliver(id, 'go');
    await tenant.untilEvent(id, 'RetryScheduled');
    await second.worker.stop();
    const failed = (await tenant.events(id)).find(({ kind }) => kind === 'NodeFailed');
    t.like(failed?.payload, {
      error_class: 'NonDeterminismError',
      retryable: true,
      counted: false,
    });
    t.deepEqual(done, ['charged']);
    const explained = await tenant.get<{ blockers: readonly { message: string }[] }>(
      `/executions/${id}/explain`,
    );
    t.regex(explained.body.blockers[0]?.message ?? '', /journal has step "charge".*step "check"/);
    startWorker(t, { tenant, place, options: { functions: [before], register: false } });
    await tenant.until(id, 'completed');
    t.deepEqual(done, ['charged']);
  },
);

check('a retry policy can make code that does not fit a failure', async (t, tenant, place) => {
  const done: string[] = [];
  const retryPolicy = { non_retryable_on: ['NonDeterminismError'] };
  const { before, after } = changedOrder(done, retryPolicy);
  const { worker } = startWorker(t, { tenant, place, options: { functions: [before] } });
  const id = await startFunction(tenant, before, {});
  await tenant.untilEvent(id, 'NodeSuspended');
  await worker.stop();
  startWorker(t, { tenant, place, options: { functions: [after], register: false } });
  await tenant.deliver(id, 'go');
  await tenant.until(id, 'failed');
  t.like((await tenant.events(id)).at(-1)?.payload, { error_class: 'NonDeterminismError' });
  t.deepEqual(done, ['charged', 'refunded']);
});
